namespace Messaging.Aws.S3;

/// <summary>What the end of one request means for its object.</summary>
public enum S3FaultKind
{
    /// <summary>It worked.</summary>
    None = 0,

    /// <summary>412: there is an object of this key already.</summary>
    Exists,

    /// <summary>404 for an object: there is none.</summary>
    Missing,

    /// <summary>May work later: throttled, unreachable, timed out, damaged on the way.</summary>
    Transient,

    /// <summary>The signature's time was refused. The client has learned the store's clock from the same answer, so that an immediate retry may work.</summary>
    ClockSkew,

    /// <summary>Temporary credentials have expired: a retry needs others.</summary>
    ExpiredCredentials,

    /// <summary>The store refuses the worker, whatever the object.</summary>
    Refused,

    /// <summary>The store takes no object of this key or of this size, now or later; so none is there either.</summary>
    Rejected,
}
