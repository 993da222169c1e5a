namespace Messaging.Sources;

/// <summary>Something that a message can have beside its body.</summary>
/// <param name="Kind">Its kind.</param>
/// <param name="Name">The name of an attribute or a system property, without the @; null for the other kinds.</param>
public readonly record struct MessageValue(MessageValueKind Kind, string? Name = null);

/// <summary>The kinds of <see cref="MessageValue"/>.</summary>
public enum MessageValueKind
{
    /// <summary>One of <see cref="Pipeline.Messages.ReceivedMessage.Attributes"/>.</summary>
    Attribute = 0,

    /// <summary><see cref="Pipeline.Messages.ReceivedMessage.Group"/>.</summary>
    Group,

    /// <summary><see cref="Pipeline.Messages.ReceivedMessage.DeduplicationId"/>.</summary>
    DeduplicationId,

    /// <summary>What <see cref="Pipeline.Messages.ReceivedMessage.FindSystemProperty"/> finds.</summary>
    SystemProperty,
}
