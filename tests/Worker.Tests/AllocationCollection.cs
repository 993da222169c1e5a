namespace Worker.Tests;

/// <summary>Tests that count allocated bytes run alone: those of the process are everybody's.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AllocationCollection
{
    public const string Name = "allocations";
}
