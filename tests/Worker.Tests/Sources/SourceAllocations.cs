namespace Worker.Tests.Sources;

/// <summary>Tests that count the process's allocations: nothing else may run beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class SourceAllocations
{
    public const string Name = "Source allocations";
}
