namespace Messaging.CloudFront.Events;

/// <summary>
/// Why a message is no event that can be worked on, however often it is tried. <see cref="EventFaultCodes.Code"/> gives the text that
/// goes into dead letters, logs and metrics.
/// </summary>
internal enum EventFault
{
    /// <summary>Nothing is wrong.</summary>
    None = 0,

    /// <summary>Nothing but blanks.</summary>
    EmptyBody,

    /// <summary>The JSON grammar is broken, or the text is nested more than 64 levels deep.</summary>
    MalformedJson,

    /// <summary>Not UTF-8, or half a surrogate pair as an escape.</summary>
    InvalidUtf8,

    /// <summary>Valid JSON that is no S3 event notification: no records.</summary>
    NoRecords,

    /// <summary>A record without bucket, key or event name, or with one of another type.</summary>
    BadRecord,

    /// <summary>A property that is needed comes twice.</summary>
    DuplicateProperty,

    /// <summary>The key is empty, too long, or wrongly encoded.</summary>
    BadKey,

    /// <summary>The bucket is not among the configured ones.</summary>
    WrongBucket,
}
