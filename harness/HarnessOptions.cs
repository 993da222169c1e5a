namespace Harness;

/// <summary>The options of one run of the harness.</summary>
/// <param name="Form">The pipeline form, <see cref="AllForms"/> for each of them; null for the configured one.</param>
/// <param name="Source">channel, http, sqs, servicebus or tcp.</param>
/// <param name="Sink">Memory, Directory or S3.</param>
/// <param name="Count">Messages to publish and process.</param>
/// <param name="Wait">True to stop at the named stops.</param>
/// <param name="Json">True to end with one line of JSON.</param>
/// <param name="Explain">True to count the allocations by type.</param>
/// <param name="Trace">The file for a trace; null for none.</param>
/// <param name="Keys">Configuration keys of the command line, which override all others.</param>
internal sealed record HarnessOptions(
    string? Form, string Source, string Sink, int Count, bool Wait, bool Json, bool Explain, string? Trace, IReadOnlyList<string> Keys)
{
    /// <summary>The value of --form that runs each form.</summary>
    public const string AllForms = "all";

    // The number of concurrent calls of the classic Service Bus harness.
    private const int ServiceBusConcurrency = 100;

    /// <summary>Messages per batch sent to Service Bus.</summary>
    public int Batch { get; init; } = 100;

    /// <summary>Messages in flight; null for the configured number.</summary>
    public int? Concurrency { get; init; }

    /// <summary>Service Bus: the client's processor alone, without the worker.</summary>
    public bool Bare { get; init; }

    /// <summary>The page to write; null for none.</summary>
    public string? Report { get; init; }

    /// <summary>The file of figures to write; null for none.</summary>
    public string? Figures { get; init; }

    /// <summary>Number of runs of each form with <see cref="AllForms"/>.</summary>
    public int Rounds { get; init; } = 1;

    /// <summary>True when the run also takes a record.</summary>
    public bool IsRecorded => Report is not null || Figures is not null;

    public bool IsServiceBus => string.Equals(Source, "servicebus", StringComparison.OrdinalIgnoreCase);

    /// <summary>Messages in flight for Service Bus.</summary>
    public int ConcurrencyOrDefault => Concurrency ?? ServiceBusConcurrency;
}
