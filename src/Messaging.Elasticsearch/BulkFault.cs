namespace Quayside.Messaging.Elasticsearch;

/// <summary>How one request failed; the default when it did not.</summary>
/// <param name="Kind">What the fault means for the documents.</param>
/// <param name="Code">The error's type, or a name given by the worker; bounded and escaped.</param>
/// <param name="Status">HTTP status; 0 without a response.</param>
/// <param name="Reason">The server's reason, or why the connection failed; bounded and escaped, may be empty.</param>
/// <param name="RetryAfter">The minimum wait that the server requested; zero when it requested none.</param>
internal readonly record struct BulkFault(BulkFaultKind Kind, string Code = "", int Status = 0, string Reason = "", TimeSpan RetryAfter = default)
{
    /// <summary>No response within the attempt's time limit.</summary>
    public const string TimeoutCode = "Timeout";

    /// <summary>Requests are signed, and there are no AWS credentials.</summary>
    public const string NoCredentialsCode = "CredentialsUnavailable";

    /// <summary>A success whose body does not answer the request: truncated, a proxy's page, or about other documents.</summary>
    public const string NotBulkCode = "NotABulkAnswer";

    /// <summary>A success that Elasticsearch never sends.</summary>
    public const string ForeignCode = "NotAnElasticsearchAnswer";

    /// <summary>Documents are in a failure store, and which ones was not read: the batch is sent again, and every item of the answer is read.</summary>
    public const string FailureStoreCode = "FailureStoreUsed";

    /// <summary>True when the connection broke. That also hides the response of a server that refused the request before it had read the body.</summary>
    public bool IsBroken => Kind == BulkFaultKind.Transient && Status == 0 && Code != TimeoutCode;
}

/// <summary>What the outcome of one request means for its documents.</summary>
internal enum BulkFaultKind
{
    /// <summary>The response states the outcome of every document.</summary>
    None = 0,

    /// <summary>A later attempt may succeed: throttled, unreachable, timed out, truncated, or an invalid response.</summary>
    Transient,

    /// <summary>413: the request has too many bytes.</summary>
    TooLarge,

    /// <summary>Elasticsearch refuses the worker's requests, whatever their documents.</summary>
    Refused,
}
