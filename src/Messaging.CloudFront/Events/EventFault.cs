using Quayside.Messaging.Json;

namespace Quayside.Messaging.CloudFront.Events;

/// <summary>
/// Why a message can never be processed as an event, whatever is retried: the codes of dead letters, log lines and metrics. They are part of the contract with
/// users: never changed, never used again. Faults that any JSON body can have share their code with the other handlers.
/// </summary>
internal static class EventFault
{
    /// <summary>The body is empty or blank.</summary>
    public const string EmptyBody = JsonReasons.EmptyBody;

    /// <summary>The JSON grammar is broken, or the text is nested more than 64 levels deep.</summary>
    public const string MalformedJson = JsonReasons.MalformedJson;

    /// <summary>The body is not UTF-8, or an escape encodes half a surrogate pair.</summary>
    public const string InvalidUtf8 = JsonReasons.InvalidUtf8;

    /// <summary>Valid JSON that is not an S3 event notification: it has no records.</summary>
    public const string NoRecords = "event-no-records";

    /// <summary>A record lacks the bucket, the key or the event name, or one of them has another JSON type.</summary>
    public const string BadRecord = "event-bad-record";

    /// <summary>A required property occurs twice.</summary>
    public const string DuplicateProperty = JsonReasons.DuplicateProperty;

    /// <summary>The key is empty, too long or wrongly encoded, or it could address another object.</summary>
    public const string BadKey = "event-bad-key";

    /// <summary>The bucket is not among the configured ones.</summary>
    public const string WrongBucket = "event-wrong-bucket";
}
