namespace Quayside.Messaging.Sources;

/// <summary>Something that a message can have beside its body.</summary>
/// <param name="Kind">Its kind.</param>
/// <param name="Name">The name of an attribute or a system property, without the @; null for the other kinds.</param>
internal readonly record struct MessageValue(MessageValueKind Kind, string? Name = null);

/// <summary>The kinds of <see cref="MessageValue"/>.</summary>
internal enum MessageValueKind
{
    /// <summary>One of <see cref="Quayside.Pipeline.Messages.ReceivedMessage.Attributes"/>.</summary>
    Attribute = 0,

    /// <summary><see cref="Quayside.Pipeline.Messages.ReceivedMessage.Group"/>.</summary>
    Group,

    /// <summary><see cref="Quayside.Pipeline.Messages.ReceivedMessage.DeduplicationId"/>.</summary>
    DeduplicationId,

    /// <summary>What <see cref="Quayside.Pipeline.Messages.ReceivedMessage.FindSystemProperty"/> finds.</summary>
    SystemProperty,
}
