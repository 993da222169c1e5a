using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Http.Source;

/// <summary>Settings of the HTTP source, section <c>Sources:Http</c>.</summary>
internal sealed class HttpSourceOptions : ISelfValidating
{
    public const string Section = "Sources:Http";

    [Setting("Largest message in bytes (one body or one line of NDJSON); a larger one is refused with 413", Min = "1", Max = "256MiB", Bytes = true)]
    public int MaxMessageBytes { get; set; } = 1 << 20;

    [Setting("Largest NDJSON request in bytes", Min = "1", Max = "4GiB", Bytes = true, Advanced = true)]
    public long MaxRequestBytes { get; set; } = 64L << 20;

    [Setting("Maximum lines per NDJSON request, including blank lines", Min = "1", Max = "10000000",
        Consequence = "Each line has a result in memory until the caller has read the answer: "
            + "about 80 bytes and its X-Message-Id, counted towards MaxReceivingBytes.", Advanced = true)]
    public int MaxRequestLines { get; set; } = 100_000;

    [Setting("Maximum messages in flight per NDJSON request; Intake:Concurrency limits those of all requests", Min = "1", Max = "10000", Advanced = true)]
    public int MaxInFlightPerRequest { get; set; } = 64;

    [Setting(
        "Maximum bytes of incomplete bodies and of NDJSON results, over all requests; beyond that callers are answered with 429", Min = "1", Max = "16GiB",
        Bytes = true,
        Consequence = "Slow callers would otherwise hold memory without limit.", Advanced = true)]
    public long MaxReceivingBytes { get; set; } = 64L << 20;

    [Setting(
        "Minimum rate of a request body in bytes per second, over 5 s of waiting for the caller; a slower request is answered with 408; 0 for no minimum",
        Min = "0", Max = "1GiB", Bytes = true,
        Consequence = "Callers that send almost nothing would hold connections and memory until BodyTimeout.", Advanced = true)]
    public int MinBodyRate { get; set; } = 256;

    [Setting("Time for a single body to arrive, and for the next piece of an NDJSON request", Min = "100ms", Max = "1h", Advanced = true)]
    public TimeSpan BodyTimeout { get; set; } = TimeSpan.FromSeconds(30);

    [Setting("Time that a line of NDJSON waits for a slot; after that the answer names the lines to send again", Min = "100ms", Max = "1h", Advanced = true)]
    public TimeSpan SlotTimeout { get; set; } = TimeSpan.FromSeconds(30);

    [Setting(
        "Answer Event Grid's validation of a webhook (aeg-event-type: SubscriptionValidation) with its code, instead of storing it as a message",
        Advanced = true)]
    public bool EventGridValidation { get; set; }

    [Setting(
        "Origins that may send CloudEvents to this webhook, as they ask with OPTIONS and WebHook-Request-Origin (CloudEvents HTTP webhook, Event Grid): names "
            + "such as eventgrid.azure.net, or * for every one", Advanced = true)]
    public string[] WebhookOrigins { get; set; } = [];

    [Setting(
        "Headers that become attributes of the messages of a request: names, or the start of names and a *; names are kept in lower case. "
            + "Headers with credentials are refused")]
    public string[] Headers { get; set; } = ["ce-*"];

    public void Validate(SettingsCheck check)
    {
        foreach (string pattern in Headers)
        {
            if (HeaderRules.FindProblem(pattern) is { } problem)
            {
                check.Fail(nameof(Headers), problem, "No header could be kept.");
            }
        }

        if (MaxRequestBytes < MaxMessageBytes)
        {
            check.Fail(
                nameof(MaxRequestBytes), $"must be at least {nameof(MaxMessageBytes)} ({MaxMessageBytes}).", "The largest message could not be sent as a line.",
                nameof(MaxMessageBytes));
        }

        if (MaxReceivingBytes < MaxMessageBytes)
        {
            check.Fail(
                nameof(MaxReceivingBytes), $"must be at least {nameof(MaxMessageBytes)} ({MaxMessageBytes}).", "The largest message could never be received.",
                nameof(MaxMessageBytes));
        }
    }
}
