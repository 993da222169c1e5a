namespace Messaging.Aws.S3;

/// <summary>How one request ended. Expected failures are values; exceptions do not leave the client.</summary>
/// <param name="Kind">What it means.</param>
/// <param name="Code">S3's error code, or one of the worker's when no answer arrived; empty on success.</param>
/// <param name="Status">The HTTP status; 0 when no answer arrived.</param>
/// <param name="RequestId">The store's id of the request, for support cases; null when there is none.</param>
/// <param name="RetryAfter">The minimum wait that the store asked for; zero without one.</param>
/// <param name="MayHaveCommitted">True when the store may have carried out the request despite the failure.</param>
/// <param name="Region">The bucket's region according to the store; null when unknown.</param>
/// <param name="Detail">The connection's failure when no answer arrived, such as <c>Connection refused (127.0.0.1:4566)</c>; escaped, null when unknown.</param>
public readonly record struct S3Fault(
    S3FaultKind Kind,
    string Code = "",
    int Status = 0,
    string? RequestId = null,
    TimeSpan RetryAfter = default,
    bool MayHaveCommitted = false,
    string? Region = null,
    string? Detail = null)
{
    /// <summary>True when the answer says that the bucket is in another region than the request's; <see cref="Region"/> is then often known.</summary>
    public bool IsElsewhere => S3Faults.IsElsewhere(this);

    /// <summary>The credentials that the store reported as expired, so that new ones are fetched once for all requests that used them; null when unknown.</summary>
    internal SigningCredentials? Expired { get; init; }

    /// <summary>No fault.</summary>
    public static S3Fault None => new(S3FaultKind.None);

    /// <summary>No fault, with the answer's data for the request's span; without a listener a success is <see cref="None"/>.</summary>
    internal static S3Fault Success(int status, string? requestId) => new(S3FaultKind.None, Status: status, RequestId: requestId is null ? null : S3Faults.Bound(requestId));

    /// <summary>The fault of an exception of AWSSDK.S3. An exception of an unknown type is transient, with the type's name as the code.</summary>
    /// <param name="exception">What was thrown.</param>
    /// <param name="timedOut">True when the attempt's time had ended.</param>
    public static S3Fault Of(Exception exception, bool timedOut = false) => S3Faults.Classify(exception, timedOut);

    /// <summary>
    /// What happened, such as <c>S3 PutObject: SlowDown (503, request 4442587FB7D0A2F9)</c> or
    /// <c>S3 PutObject: ConnectionError: Connection refused (127.0.0.1:4566)</c>.
    /// </summary>
    public string Describe(string operation)
    {
        string status = Status == 0 ? string.Empty : $" ({Status}{(RequestId is null ? string.Empty : $", request {RequestId}")})";
        string code = Kind == S3FaultKind.Undecided ? "the client reported no outcome, a defect of the worker" : Code;
        return $"S3 {operation}: {code}{status}{(Detail is null ? string.Empty : $": {Detail}")}";
    }
}

/// <summary>What the outcome of one request means for its object.</summary>
public enum S3FaultKind
{
    /// <summary>No outcome: a defect of the client. The request does not count as successful.</summary>
    Undecided = 0,

    /// <summary>The request succeeded.</summary>
    None,

    /// <summary>412: an object with this key exists.</summary>
    Exists,

    /// <summary>404 for an object: it does not exist.</summary>
    Missing,

    /// <summary>A retry may succeed: throttled, unreachable, timed out or damaged in transit.</summary>
    Transient,

    /// <summary>The signature's time was refused. The client has learned the store's time from the answer, so an immediate retry may succeed.</summary>
    ClockSkew,

    /// <summary>Temporary credentials have expired: a retry needs new ones.</summary>
    ExpiredCredentials,

    /// <summary>The store refuses the worker, for every object.</summary>
    Refused,

    /// <summary>The store never accepts an object with this key or of this size, so none exists.</summary>
    Rejected,
}
