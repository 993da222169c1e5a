using Worker.Archive;

namespace Messaging.CloudFront.Events;

/// <summary>The stable texts of <see cref="EventFault"/>. They are part of the contract with users: never changed, never used again.</summary>
internal static class EventFaultCodes
{
    /// <summary>The kebab-case code; what every JSON message can have wrong is called as the archive handler calls it.</summary>
    public static string Code(this EventFault fault) => fault switch
    {
        EventFault.None => "",
        EventFault.EmptyBody => PoisonReason.EmptyBody.Code(),
        EventFault.MalformedJson => PoisonReason.MalformedJson.Code(),
        EventFault.InvalidUtf8 => PoisonReason.InvalidUtf8.Code(),
        EventFault.DuplicateProperty => PoisonReason.DuplicateProperty.Code(),
        EventFault.NoRecords => "event-no-records",
        EventFault.BadRecord => "event-bad-record",
        EventFault.BadKey => "event-bad-key",
        EventFault.WrongBucket => "event-wrong-bucket",
        _ => throw new ArgumentOutOfRangeException(nameof(fault), fault, "Unknown fault."),
    };
}
