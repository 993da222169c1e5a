namespace Messaging.Aws;

/// <summary>What a failed AWS call means for the caller.</summary>
internal enum AwsErrorKind
{
    /// <summary>Nothing failed.</summary>
    None = 0,

    /// <summary>Too many requests, or a limit such as messages in flight: back off; the same call works later.</summary>
    Throttled,

    /// <summary>5xx, connection, timeout: back off; the same call may work later.</summary>
    Transient,

    /// <summary>Credentials or permissions are missing or refused: an operator must act.</summary>
    AccessDenied,

    /// <summary>The queue (or bucket, or object) does not exist.</summary>
    NotFound,

    /// <summary>Temporary credentials have expired, and a forced refresh returned no new ones.</summary>
    ExpiredCredentials,

    /// <summary>The signature's time was refused even after the clock was corrected.</summary>
    ClockSkew,

    /// <summary>The service will never accept this request, or its answer is invalid.</summary>
    Invalid,
}
