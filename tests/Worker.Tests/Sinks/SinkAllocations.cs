namespace Worker.Tests.Sinks;

/// <summary>Tests that count the process's allocations: nothing else may run beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class SinkAllocations
{
    public const string Name = "Sink allocations";
}
