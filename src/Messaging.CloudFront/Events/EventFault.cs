using Messaging.Json;

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

/// <summary>The stable texts of <see cref="EventFault"/>. They are part of the contract with users: never changed, never used again.</summary>
internal static class EventFaultCodes
{
    /// <summary>The kebab-case code; what any JSON body can have wrong has the code that every handler gives it.</summary>
    public static string Code(this EventFault fault) => fault switch
    {
        EventFault.None => "",
        EventFault.EmptyBody => JsonReasons.EmptyBody,
        EventFault.MalformedJson => JsonReasons.MalformedJson,
        EventFault.InvalidUtf8 => JsonReasons.InvalidUtf8,
        EventFault.DuplicateProperty => JsonReasons.DuplicateProperty,
        EventFault.NoRecords => "event-no-records",
        EventFault.BadRecord => "event-bad-record",
        EventFault.BadKey => "event-bad-key",
        EventFault.WrongBucket => "event-wrong-bucket",
        _ => throw new ArgumentOutOfRangeException(nameof(fault), fault, "Unknown fault."),
    };
}
