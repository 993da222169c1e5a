namespace Messaging.DeadLetters;

/// <summary>The dead letters of a store that wait until they are redriven or deleted; a state of the store, which a restart of the worker does not change.</summary>
public sealed record WaitingDeadLetters
{
    /// <summary>How many wait.</summary>
    public required long Count { get; init; }

    /// <summary>True when the store stopped counting at a limit: more than <see cref="Count"/> wait.</summary>
    public bool IsMore { get; init; }

    /// <summary>When the oldest of them was dead-lettered; null without any.</summary>
    public DateTimeOffset? OldestAt { get; init; }

    /// <summary>When the newest of them was dead-lettered; null without any.</summary>
    public DateTimeOffset? NewestAt { get; init; }

    /// <summary>How many wait for each reason; their sum is <see cref="Count"/>.</summary>
    public IReadOnlyDictionary<string, long> ByReason { get; init; } = new Dictionary<string, long>(StringComparer.Ordinal);
}
