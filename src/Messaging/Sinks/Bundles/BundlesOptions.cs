using Messaging.Configuration;

namespace Messaging.Sinks.Bundles;

/// <summary>Section <c>Bundles</c>: many messages in one object. Off unless asked for. See docs/guides/bundles.md.</summary>
internal sealed class BundlesOptions : ISelfValidating
{
    public const string Section = "Bundles";

    [Setting("Store the messages of one key prefix together, as one gzip of JSON lines; each is acknowledged after that object is stored")]
    public bool Enabled { get; init; }

    [Setting("Compressed size, estimated from earlier bundles, at which a bundle is stored", Bytes = true, Min = "1KiB", Max = "1GiB", Consequence = "Too little brings the small objects back; too much outlives the sink's time for one request.")]
    public long MaxBytes { get; init; } = 8L << 20;

    [Setting("Messages at which a bundle is stored; each holds its slot until then, so Intake:Concurrency must be at least twice as many", Min = "1", Max = "5000")]
    public int MaxMessages { get; init; } = 500;

    [Setting("Longest wait of a bundle's first message until the bundle is stored; callers of HTTP wait as long", Min = "10ms", Max = "1h", Consequence = "Messages are acknowledged so much later.")]
    public TimeSpan MaxAge { get; init; } = TimeSpan.FromSeconds(10);

    [Setting("Bytes of bodies that wait in bundles, over all routes of the process; beyond it the bundle that was not added to for the longest time is stored", Bytes = true, Min = "64KiB", Max = "1GiB", Consequence = "One bundle can be as large as this; too little brings the small objects back.")]
    public long MemoryBudget { get; init; } = 32L << 20;

    public void Validate(SettingsCheck check)
    {
        if (MaxBytes > MemoryBudget)
        {
            check.Fail(nameof(MaxBytes), $"must not be above {nameof(MemoryBudget)}.", "It would never be reached.", nameof(MemoryBudget));
        }
    }
}
