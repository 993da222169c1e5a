namespace Lab.Alternatives;

/// <summary>The ways to hand messages from a publisher to a handler in the same process.</summary>
internal enum RunnerKind
{
    /// <summary>The worker: a channel route with 64 slots.</summary>
    Worker,

    /// <summary>A bounded channel and two loops that read it.</summary>
    TwoLoops,

    /// <summary>The same with 64 loops.</summary>
    Loops,

    /// <summary>An ActionBlock with MaxDegreeOfParallelism 64.</summary>
    ActionBlock,

    /// <summary>Parallel.ForEachAsync over a bounded channel, with MaxDegreeOfParallelism 64.</summary>
    ForEachAsync,

    /// <summary>MassTransit's in-memory transport with a limit of 64 messages.</summary>
    MassTransit,

    /// <summary>A local queue of Wolverine with 64 messages in flight.</summary>
    Wolverine,

    /// <summary>Rebus over its in-memory transport with 64 messages in flight.</summary>
    Rebus,
}
