using Quayside.Messaging.Json;

namespace Quayside.Messaging.CloudFront.Events;

/// <summary>
/// Why a message can never be processed as an event, whatever is retried. <see cref="EventFaultCodes.Code"/> gives the text for dead
/// letters, log lines and metrics.
/// </summary>
internal enum EventFault
{
    /// <summary>Nothing is wrong.</summary>
    None = 0,

    /// <summary>The body is empty or blank.</summary>
    EmptyBody,

    /// <summary>The JSON grammar is broken, or the text is nested more than 64 levels deep.</summary>
    MalformedJson,

    /// <summary>The body is not UTF-8, or an escape encodes half a surrogate pair.</summary>
    InvalidUtf8,

    /// <summary>Valid JSON that is not an S3 event notification: it has no records.</summary>
    NoRecords,

    /// <summary>A record lacks the bucket, the key or the event name, or one of them has another JSON type.</summary>
    BadRecord,

    /// <summary>A required property occurs twice.</summary>
    DuplicateProperty,

    /// <summary>The key is empty, too long or wrongly encoded, or it could address another object.</summary>
    BadKey,

    /// <summary>The bucket is not among the configured ones.</summary>
    WrongBucket,
}

/// <summary>The stable texts of <see cref="EventFault"/>. They are part of the contract with users: never changed, never used again.</summary>
internal static class EventFaultCodes
{
    /// <summary>The kebab-case code; faults that any JSON body can have share their code with the other handlers.</summary>
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
