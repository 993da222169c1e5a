namespace Messaging.CloudFront.Elasticsearch.Requests;

/// <summary>How one request failed; the default when it did not.</summary>
/// <param name="Kind">What it means.</param>
/// <param name="Code">The error's type or a name of the worker's own; bounded and escaped.</param>
/// <param name="Status">HTTP status; 0 when there was no answer.</param>
/// <param name="Reason">The server's words, or why the connection failed; bounded and escaped, may be empty.</param>
/// <param name="RetryAfter">The least wait the server asked for; zero when it did not say.</param>
internal readonly record struct BulkFault(BulkFaultKind Kind, string Code = "", int Status = 0, string Reason = "", TimeSpan RetryAfter = default)
{
    /// <summary>No answer within the attempt's time.</summary>
    public const string TimeoutCode = "Timeout";

    /// <summary>A success whose body is not the answer to the request: cut off, some proxy's page, other documents.</summary>
    public const string NotBulkCode = "NotABulkAnswer";

    /// <summary>True when the connection broke, which also hides the answer of a server that refused while the body was still coming.</summary>
    public bool IsBroken => Kind == BulkFaultKind.Transient && Status == 0 && Code != TimeoutCode;
}

/// <summary>What the end of one request means for the documents in it.</summary>
internal enum BulkFaultKind
{
    /// <summary>The answer says of every document what became of it.</summary>
    None = 0,

    /// <summary>May work later: throttled, unreachable, timed out, cut off, an answer that makes no sense.</summary>
    Transient,

    /// <summary>413: too many bytes at once.</summary>
    TooLarge,

    /// <summary>Elasticsearch refuses the worker, whatever the documents.</summary>
    Refused,
}
