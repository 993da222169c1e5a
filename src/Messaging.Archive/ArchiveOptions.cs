using Messaging.Configuration;
using Messaging.Archive.Headers;
using Messaging.Archive.ObjectKeys;

namespace Messaging.Archive;

/// <summary>Section <c>Handlers:Archive</c>: how a message becomes an object. The key rules: docs/reference/object-keys.md.</summary>
internal sealed class ArchiveOptions
{
    public const string Section = "Handlers:Archive";

    [Setting("Template of the object key: paths of JSON properties in braces with their rules, a date with its format, {MessageId} for the id")]
    public string Template { get; init; } = KeyTemplateOptions.DefaultTemplate;

    [Setting("Levels in front of every key, such as archive/prod")]
    public string KeyPrefix { get; init; } = string.Empty;

    [Setting("Path of the message's id, such as MessageId or event.id; event.id:number for an id that is a number")]
    public string MessageIdProperty { get; init; } = KeyTemplateOptions.DefaultMessageIdProperty;

    [Setting("What to do with a message without an id: DeadLetter, or UseSourceId to name the object after the source's id")]
    public MissingIdRule MissingId { get; init; } = MissingIdRule.DeadLetter;

    [Setting("What to do with a message without another property of the key: Default (the part is unknown, a date is left out) or DeadLetter")]
    public MissingPropertyRule MissingProperty { get; init; } = MissingPropertyRule.Default;

    [Setting("What to do with a value that does not fit the rule of its part: Default (the part is invalid), Encode, or DeadLetter")]
    public InvalidValueRule InvalidValue { get; init; } = InvalidValueRule.Default;

    [Setting("How much of a body must be valid: Full, or HeaderOnly (only the part up to the last property that the key needs)")]
    public BodyValidation BodyValidation { get; init; } = BodyValidation.Full;

    /// <summary>The settings that define the keys.</summary>
    public KeyTemplateOptions Key => new()
    {
        Template = Template,
        KeyPrefix = KeyPrefix,
        MessageIdProperty = MessageIdProperty,
        MissingProperty = MissingProperty,
        InvalidValue = InvalidValue,
    };
}

/// <summary>What to do with a message whose id property is missing, null or empty.</summary>
internal enum MissingIdRule
{
    /// <summary>It is dead-lettered as <c>missing-id</c>: its sender should fix it.</summary>
    DeadLetter = 0,

    /// <summary>The source's id replaces it. It is the same on every redelivery, but a message that is sent twice can get two ids.</summary>
    UseSourceId,
}
