using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Http;

/// <summary>The settings of live tails, in the section <c>Hosting</c>.</summary>
internal sealed class TailOptions : ISelfValidating
{
    /// <summary>The section.</summary>
    public static SettingsSection Settings { get; } = SettingsSection.Of<TailOptions>(WebOptions.Section);

    [Setting("Messages per second that a live tail of a route shows at most, the first ones of each second; 0: live tails are refused. All who have Hosting:Token can then read messages", Min = "0", Max = "1000")]
    public int TailPerSecond { get; set; }

    [Setting("Bytes of a message's body and attributes that a live tail shows at most. At most 4 tails of 64 waiting messages each are in memory", Bytes = true, Min = "256", Max = "64KiB")]
    public int TailMessageBytes { get; set; } = 4 << 10;

    [Setting("Time after which a live tail ends by itself", Min = "1s", Max = "1h")]
    public TimeSpan TailDuration { get; set; } = TimeSpan.FromMinutes(10);

    [Setting("Words by which live tails find secrets, separated by commas: the value of each JSON property, attribute and name in a text that contains one is masked. Case and all characters but letters and digits are ignored")]
    public string[] TailMask { get; set; } = ["authorization", "cookie", "credential", "password", "passwd", "passphrase", "pwd", "secret", "token", "api-key", "access-key", "private-key", "signature"];

    public void Validate(SettingsCheck check)
    {
        if (Array.Find(TailMask, word => !word.Any(char.IsLetterOrDigit)) is { } wrong)
        {
            check.Fail(nameof(TailMask), $"must be words with letters or digits; '{wrong}' has none.", "It would mask every value.");
        }
    }
}
