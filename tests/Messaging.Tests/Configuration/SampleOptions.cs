using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Configuration;

/// <summary>A settings class with every kind of key.</summary>
internal sealed class SampleOptions : ISelfValidating
{
    [Setting("A count", Min = "1", Max = "10", Consequence = "Too many tire us.")]
    public int Count { get; set; } = 3;

    [Setting("A size", Bytes = true, Min = "1KiB", Max = "1GiB")]
    public long Size { get; set; } = 1 << 20;

    [Setting("A wait", Min = "10ms", Max = "1h")]
    public TimeSpan Wait { get; set; } = TimeSpan.FromSeconds(2);

    [Setting("A share", Min = "0", Max = "1")]
    public double Share { get; set; } = 0.5;

    [Setting("A switch")]
    public bool Enabled { get; set; }

    [Setting("A day")]
    public DayOfWeek Day { get; set; } = DayOfWeek.Friday;

    [Setting("An address")]
    public Uri? Endpoint { get; set; }

    [Setting("Names")]
    public string[] Names { get; set; } = ["a"];

    [Setting("A limit", Min = "5")]
    public int? Limit { get; set; }

    [Setting("A password", Secret = true)]
    public string? Password { get; set; }

    [Setting("The place", Required = true, Consequence = "Nothing could be stored.")]
    public string? Place { get; set; }

    /// <summary>Not a setting: no attribute.</summary>
    public string? Internal { get; set; }

    public void Validate(SettingsCheck check)
    {
        if (Count == 7)
        {
            check.Fail(nameof(Count), "must not be seven.", "It would be unlucky.");
            check.Fail(nameof(Password), "must not go with seven.", null, nameof(Count));
        }

        if (Size > 1 << 24 && Wait < TimeSpan.FromSeconds(3))
        {
            check.Fail(nameof(Size), "must not be so large with so short a pause.", null, nameof(Wait));
        }
    }
}
