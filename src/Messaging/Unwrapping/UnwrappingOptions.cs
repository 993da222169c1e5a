using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Unwrapping;

/// <summary>Section <c>Unwrapping</c>: what all envelopes of a route have in common.</summary>
internal sealed class UnwrappingOptions
{
    public const string Section = "Unwrapping";

    [Setting(
        "What the handler stores of an unwrapped message: Content, or Whole for the message as the source delivered it. "
            + "The key is made from the content either way", Advanced = true)]
    public StoredPart Store { get; set; } = StoredPart.Content;

    [Setting(
        "What to do with a message that is not in the envelope of its route: DeadLetter, or Pass it on as it is, "
            + "for a queue with both kinds. A damaged envelope is always dead-lettered", Advanced = true)]
    public UnrecognizedRule Unrecognized { get; set; } = UnrecognizedRule.DeadLetter;

    [Setting("Most messages that one message may hold; one with more is dead-lettered as too-many-elements", Min = "1", Max = "1000000", Advanced = true)]
    public int MaxElements { get; set; } = 10_000;

    [Setting(
        "How many messages out of one are processed concurrently; 1 keeps their order. Messages that wait for each other, "
            + "in a bundle or a batch, all wait together", Min = "1", Max = "1000", Advanced = true)]
    public int ElementConcurrency { get; set; } = 8;
}

/// <summary>What is stored of an unwrapped message.</summary>
internal enum StoredPart
{
    /// <summary>What was in the envelopes.</summary>
    Content = 0,

    /// <summary>The message as its source delivered it.</summary>
    Whole,
}

/// <summary>What to do with a message that is not in the envelope of its route.</summary>
internal enum UnrecognizedRule
{
    /// <summary>Its sender or the setting is wrong.</summary>
    DeadLetter = 0,

    /// <summary>It is processed as it is.</summary>
    Pass,
}
