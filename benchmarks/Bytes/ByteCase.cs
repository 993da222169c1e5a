namespace Benchmarks.Bytes;

/// <summary>One case whose allocations are counted.</summary>
internal abstract record ByteCase
{
    /// <summary>Scenario/variant/size/in flight, where the size is a chain's parts or a message's bytes.</summary>
    public abstract string Name { get; }

    /// <summary>Messages whose bytes are averaged.</summary>
    public virtual int MessagesARound => 2_000;

    /// <summary>Messages that one call of the action from <see cref="Prepare"/> handles.</summary>
    public virtual int MessagesARun => 1;

    public static IEnumerable<ByteCase> All() =>
        [.. PipelineByteCase.All(), .. KeyByteCase.All(), new AttributeKeyByteCase(), .. LogByteCase.All(), .. BulkResponseByteCase.All(),
            new DocumentByteCase()];

    /// <summary>Prepares the case; its allocations are not counted.</summary>
    public abstract Action Prepare();
}
