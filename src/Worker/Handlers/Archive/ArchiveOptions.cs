using Worker.Configuration;
using Worker.ObjectKeys;

namespace Worker.Handlers.Archive;

/// <summary>Section <c>Handlers:Archive</c>: how a message becomes an object. The key rules: docs/object-keys.md.</summary>
internal sealed class ArchiveOptions
{
    public const string Section = "Handlers:Archive";

    [Setting("Template of the object key: JSON properties in braces, a date with its format, {MessageId} for the id")]
    public string Template { get; init; } = KeyTemplateOptions.DefaultTemplate;

    [Setting("Levels that go in front of every key, such as archive/prod")]
    public string KeyPrefix { get; init; } = string.Empty;

    [Setting("The JSON property that holds the message's id")]
    public string MessageIdProperty { get; init; } = KeyTemplateOptions.DefaultMessageIdProperty;

    [Setting("What becomes of a message without an id: DeadLetter, or UseSourceId to name the object after the source's id")]
    public MissingIdRule MissingId { get; init; } = MissingIdRule.DeadLetter;

    [Setting("How much of a body must be valid: Full, Strict (no property twice at any depth), HeaderOnly (only what the key needs)")]
    public BodyValidation BodyValidation { get; init; } = BodyValidation.Full;
}
