namespace Quayside.Messaging.Aws;

/// <summary>What the outcome of a request means for the caller.</summary>
internal enum AwsErrorKind
{
    /// <summary>No outcome: a defect of the client. The request does not count as successful.</summary>
    Undecided = 0,

    /// <summary>The request succeeded.</summary>
    None,

    /// <summary>412: an object with this key exists.</summary>
    Exists,

    /// <summary>The queue or the object does not exist.</summary>
    Missing,

    /// <summary>Too many requests, or a limit such as messages in flight: back off; the same request works later.</summary>
    Throttled,

    /// <summary>Unreachable, timed out, damaged in transit or a fault of the service: back off; the same request may work later.</summary>
    Transient,

    /// <summary>The signature's time was refused, also after the clock was corrected.</summary>
    ClockSkew,

    /// <summary>Temporary credentials have expired, and there are no others.</summary>
    ExpiredCredentials,

    /// <summary>The service refuses the worker: an operator must correct permissions, credentials or settings.</summary>
    Refused,

    /// <summary>The service never accepts this request, for its size or its content, or its answer is invalid.</summary>
    Rejected,
}
