using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Sinks.Bundles;

/// <summary>Section <c>Bundles</c>: many messages in one object. Off by default. See docs/guides/bundles.md.</summary>
internal sealed class BundlesOptions
{
    public const string Section = "Bundles";

    [Setting("Store messages with the same key prefix as one object of JSON lines in gzip; each is acknowledged after that object is stored")]
    public bool Enabled { get; init; }

    [Setting(
        "Compressed size at which a bundle is stored, estimated from earlier bundles", Bytes = true, Min = "1KiB", Max = "1GiB",
        Consequence = "If it is too low, objects are small again; if it is too high, one store exceeds the time limit of the sink.")]
    public long MaxBytes { get; init; } = 8L << 20;

    [Setting(
        "Messages at which a bundle is stored; each holds its slot until then, so Intake:Concurrency must be at least twice as many", Min = "1", Max = "5000")]
    public int MaxMessages { get; init; } = 500;

    [Setting(
        "Longest time that a bundle waits after its first message before it is stored; HTTP callers wait as long", Min = "10ms", Max = "1h",
        Consequence = "Messages are acknowledged later by as much.")]
    public TimeSpan MaxAge { get; init; } = TimeSpan.FromSeconds(10);
}

/// <summary>Limits from a route's sources, so that no bundle waits for messages that cannot arrive.</summary>
/// <param name="Route">The route's name, for metrics.</param>
/// <param name="InFlight">Maximum number of messages in flight.</param>
/// <param name="MaxPending">Maximum number of messages in open bundles: half of a source's messages in flight; the other half is being stored.</param>
/// <param name="MaxPendingBytes">Maximum number of their body bytes: half of a source's bytes in flight.</param>
internal sealed record BundleLimits(string Route, int InFlight, int MaxPending, long MaxPendingBytes);
