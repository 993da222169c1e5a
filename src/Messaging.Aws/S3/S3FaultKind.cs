namespace Messaging.Aws.S3;

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
