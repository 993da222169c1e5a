using Messaging.Configuration;

namespace Messaging.Http.Source;

/// <summary>Settings of the HTTP source, section <c>Sources:Http</c>.</summary>
internal sealed class HttpSourceOptions : ISelfValidating
{
    public const string Section = "Sources:Http";

    [Setting("Largest message in bytes, one body or one line of NDJSON; a larger one is refused with 413", Min = "1", Max = "256MiB", Bytes = true)]
    public int MaxMessageBytes { get; set; } = 1 << 20;

    [Setting("Largest NDJSON request in bytes", Min = "1", Max = "4GiB", Bytes = true)]
    public long MaxRequestBytes { get; set; } = 64L << 20;

    [Setting("Most lines of one NDJSON request, blank ones included", Min = "1", Max = "10000000",
        Consequence = "Each line has a result of about 80 bytes, kept until the last line is settled.")]
    public int MaxRequestLines { get; set; } = 100_000;

    [Setting("Lines of one NDJSON request in work at once; the route's concurrency is the limit of all", Min = "1", Max = "10000")]
    public int MaxInFlightPerRequest { get; set; } = 64;

    [Setting("Bytes of bodies that have arrived in part, over all requests; beyond it callers are answered with 429", Min = "1", Max = "16GiB", Bytes = true,
        Consequence = "Slow callers would otherwise hold memory without limit.")]
    public long MaxReceivingBytes { get; set; } = 64L << 20;

    [Setting("Fewest bytes per second of a body that is being received, over 5 s in which the worker waits for the caller; a slower request is answered with 408; 0 for no minimum", Min = "0", Max = "1GiB", Bytes = true,
        Consequence = "Callers that send next to nothing would hold connections and memory for as long as BodyTimeout.")]
    public int MinBodyRate { get; set; } = 256;

    [Setting("Time for a single body to arrive, and for the next piece of an NDJSON request", Min = "100ms", Max = "1h")]
    public TimeSpan BodyTimeout { get; set; } = TimeSpan.FromSeconds(30);

    [Setting("How long a line of NDJSON waits for its turn before the caller is told which lines to send again", Min = "100ms", Max = "1h")]
    public TimeSpan SlotTimeout { get; set; } = TimeSpan.FromSeconds(30);

    public void Validate(SettingsCheck check)
    {
        if (MaxRequestBytes < MaxMessageBytes)
        {
            check.Fail(nameof(MaxRequestBytes), $"must be at least {nameof(MaxMessageBytes)} ({MaxMessageBytes}).", "The largest message could not be sent as a line.", nameof(MaxMessageBytes));
        }

        if (MaxReceivingBytes < MaxMessageBytes)
        {
            check.Fail(nameof(MaxReceivingBytes), $"must be at least {nameof(MaxMessageBytes)} ({MaxMessageBytes}).", "The largest message could never be received.", nameof(MaxMessageBytes));
        }
    }
}
