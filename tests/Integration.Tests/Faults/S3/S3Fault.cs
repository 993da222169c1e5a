namespace Integration.Tests.Faults.S3;

/// <summary>What goes wrong with one request. "Committed" means that the operation was carried out: for a PUT, that the object is stored.</summary>
internal enum S3Fault
{
    None,

    /// <summary>503 SlowDown, not committed.</summary>
    SlowDown,

    /// <summary>500 InternalError, not committed.</summary>
    InternalError,

    /// <summary>409 ConditionalRequestConflict, not committed.</summary>
    Conflict,

    /// <summary>403 AccessDenied, not committed.</summary>
    AccessDenied,

    /// <summary>404 NoSuchBucket, not committed.</summary>
    NoSuchBucket,

    /// <summary>400 ExpiredToken, not committed.</summary>
    ExpiredToken,

    /// <summary>The request is read whole, then no answer until the client disconnects; not committed.</summary>
    HangBeforeCommit,

    /// <summary>Committed, then the connection is reset without a byte of the answer.</summary>
    CommitThenReset,

    /// <summary>Committed, then no answer until the client disconnects.</summary>
    CommitThenHang,

    /// <summary>Committed, then half of the answer's bytes (of its head when there is no body) and a reset.</summary>
    CommitThenCut,

    /// <summary>Committed, then the answer a byte at a time, one a second.</summary>
    CommitThenDrip,

    /// <summary>A bit of the payload flips on the way: of the request for a PUT, before anything is verified; of the answer for a GET.</summary>
    Corrupt,
}
