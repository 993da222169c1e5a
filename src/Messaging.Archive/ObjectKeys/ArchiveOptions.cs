using System.Collections.ObjectModel;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>Section <c>Handlers:Archive</c>: how a message becomes an object. The key rules: docs/reference/object-keys.md.</summary>
internal sealed class ArchiveOptions
{
    public const string Section = "Handlers:Archive";

    /// <summary>The key rule of the seed.</summary>
    public const string DefaultTemplate = "{Product}/{SiteKey}/{EventName}/{EventDateUtc:yyyy/MM/dd/HH}/{MessageId}.json";

    /// <summary>The name of the id in a template, whatever property the id comes from.</summary>
    public const string DefaultMessageIdProperty = "MessageId";

    [Setting("Template of the object key: paths of JSON properties in braces with their rules, a date with its format, {MessageId} for the id")]
    public string Template { get; set; } = DefaultTemplate;

    [Setting("Levels in front of every key, such as archive/prod")]
    public string KeyPrefix { get; set; } = string.Empty;

    [Setting("Path of the message's id, such as MessageId or event.id; event.id:number for an id that is a number, event.id:any for a string or a number")]
    public string MessageIdProperty { get; set; } = DefaultMessageIdProperty;

    [Setting("What to do with a message without an id: DeadLetter, or UseSourceId to name the object after the source's id")]
    public MissingIdRule MissingId { get; set; } = MissingIdRule.DeadLetter;

    [Setting("What to do with a message without another property of the key: Default (the part is unknown, a date is left out) or DeadLetter")]
    public MissingPropertyRule MissingProperty { get; set; } = MissingPropertyRule.Default;

    [Setting("What to do with a value that does not fit the rule of its part: Default (the part is invalid), Encode, or DeadLetter", Advanced = true)]
    public InvalidValueRule InvalidValue { get; set; } = InvalidValueRule.Default;

    [Setting("What to do with a date that cannot be read: DeadLetter, or LeaveOut (its levels are left out, as those of a missing date)")]
    public InvalidDateRule InvalidDate { get; set; } = InvalidDateRule.DeadLetter;

    [Setting("Custom date formats of .NET, such as dd/MM/yyyy HH:mm:ss, tried in order on a date in none of the known forms", Advanced = true)]
    public string[] DateFormats { get; set; } = [];

    [Setting("Time zone of the dates in keys: UTC, or an IANA name such as Europe/Berlin")]
    public string TimeZone { get; set; } = "UTC";

    [Setting(
        "Metadata of each object, by name: fixed text, or one placeholder such as {tenant} or {order.customer.id}, whose value is stored unchanged; a message "
            + "without the value has no such entry. Needs a sink that keeps metadata, such as S3", Advanced = true)]
    public IReadOnlyDictionary<string, string> Metadata { get; set; } = ReadOnlyDictionary<string, string>.Empty;

    [Setting("Tags of each object, by key; otherwise as Metadata", Advanced = true)]
    public IReadOnlyDictionary<string, string> Tags { get; set; } = ReadOnlyDictionary<string, string>.Empty;

    [Setting("How much of a body must be valid: Full, or HeaderOnly (only the part up to the last property that the key needs)")]
    public BodyValidation BodyValidation { get; set; } = BodyValidation.Full;

    /// <summary>The metadata and tags of the objects.</summary>
    public IReadOnlyList<ObjectPropertyText> Properties =>
    [
        .. Metadata.Select(entry => new ObjectPropertyText($"{nameof(Metadata)}:{entry.Key}", ObjectPropertyKind.Metadata, entry.Key, entry.Value)),
        .. Tags.Select(entry => new ObjectPropertyText($"{nameof(Tags)}:{entry.Key}", ObjectPropertyKind.Tag, entry.Key, entry.Value)),
    ];
}

/// <summary>What to do with a message whose id property is missing, null or empty.</summary>
internal enum MissingIdRule
{
    /// <summary>It is dead-lettered as <c>missing-id</c>: its sender should fix it.</summary>
    DeadLetter = 0,

    /// <summary>The source's id replaces it. It is the same on every redelivery, but a message that is sent twice can get two ids.</summary>
    UseSourceId,
}

/// <summary>What to do with a message in which a property of the key is missing, null or empty. A missing id has its own rule.</summary>
internal enum MissingPropertyRule
{
    /// <summary>The part is <c>unknown</c>; the levels of a date are left out.</summary>
    Default = 0,

    /// <summary>It is dead-lettered as <c>missing-property</c>.</summary>
    DeadLetter,
}

/// <summary>What to do with a message with a date that cannot be read.</summary>
internal enum InvalidDateRule
{
    /// <summary>It is dead-lettered as <c>bad-date</c>.</summary>
    DeadLetter = 0,

    /// <summary>The levels of the date are left out, as those of a missing one.</summary>
    LeaveOut,
}

/// <summary>What to do with a message with a value that does not fit the rule of its placeholder.</summary>
internal enum InvalidValueRule
{
    /// <summary>The part is <c>invalid</c>: all such values share a prefix.</summary>
    Default = 0,

    /// <summary>It is dead-lettered as <c>invalid-value</c>.</summary>
    DeadLetter,

    /// <summary>The value is escaped as by the rule <c>encode</c>.</summary>
    Encode,
}
