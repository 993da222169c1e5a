using Messaging.Json;

namespace Messaging.CloudFront.Events;

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
