namespace Messaging.Handlers;

/// <summary>Why settling a message of a batch has no effect.</summary>
internal enum BatchMisuse
{
    None = 0,

    /// <summary>It was settled before.</summary>
    Twice,

    /// <summary>The handler's task has ended.</summary>
    Late,

    /// <summary>The settlement decides nothing.</summary>
    Undecided,
}
