using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Intake;

/// <summary>
/// Section <c>Intake</c>: limits for each source of a route. A feature reads it with <see cref="SettingsReader.Read{T}(string, string?)"/> to check its own
/// settings against it.
/// </summary>
internal sealed class IntakeOptions
{
    /// <summary>Slots per source; default 1,000.</summary>
    [Setting(
        "Maximum messages in flight, per source of a route. The worker starts at StartConcurrency and uses more while that raises the throughput; HTTP and "
            + "bundles use all from the start, Service Bus as many as MaxConcurrentCalls", Min = "1", Max = "10000",
            Consequence = "0 would never receive; more than 10,000 exceeds the in-flight limits of queues and the memory limit.")]
    public int Concurrency { get; set; } = 1_000;

    /// <summary>Slots per source that are used at first; default 64, enough for a store that answers within milliseconds.</summary>
    [Setting(
        "Initial limit of messages in flight, per source of a route; at or above Concurrency the number is fixed. "
            + "Routes whose messages only name an object (CloudFront logs) never use more", Min = "1", Max = "10000", Advanced = true)]
    public int StartConcurrency { get; set; } = 64;

    /// <summary>Body bytes in flight per source; default 64 MiB.</summary>
    [Setting(
        "Body bytes in flight, per source of a route; at the limit no slot is granted, but slots granted before still receive messages (at most Concurrency)",
        Bytes = true, Min = "64KiB", Max = "64GiB",
        Consequence = "If it is too low, one large message stalls the source; if it is too high, a burst can exhaust the memory.", Advanced = true)]
    public long BytesInFlight { get; set; } = 64L << 20;

    /// <summary>Time limit of one attempt at a message, retries in process included; default 90 s.</summary>
    [Setting(
        "Time limit of one attempt at a message, retries in process included; then its token is cancelled and it is abandoned. Time in which it is held while "
            + "the sink fails does not count", Min = "1s", Max = "12h", Consequence = "Below the sink's own deadline, slow stores would be cancelled.")]
    public TimeSpan MessageTimeout { get; set; } = TimeSpan.FromSeconds(90);
}
