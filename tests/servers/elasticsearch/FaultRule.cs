namespace ElasticsearchServer;

/// <summary>Which bulk requests a fault strikes: those from <see cref="First"/> to <see cref="Last"/>, counted from 1 since the server started.</summary>
internal sealed record FaultRule
{
    public required ServerFault Fault { get; init; }

    public int First { get; init; } = 1;

    public int Last { get; init; } = int.MaxValue;

    /// <summary>HTTP status of the answer, or of the items that fail.</summary>
    public int Status { get; init; } = 429;

    public string Type { get; init; } = "es_rejected_execution_exception";

    public string Reason { get; init; } = "rejected execution of coordinating operation";

    /// <summary>The reason of the error's cause; null for none. OpenSearch's and older servers' errors of parsing say only there why.</summary>
    public string? Cause { get; init; }

    /// <summary>Seconds of a header Retry-After; null for none.</summary>
    public int? RetryAfter { get; init; }

    /// <summary>Every n-th item fails, starting with the first.</summary>
    public int EveryNthItem { get; init; } = 1;

    /// <summary>Delay in milliseconds before the request is handled, also with <see cref="ServerFault.None"/>: a slow server.</summary>
    public int DelayMs { get; init; }
}
