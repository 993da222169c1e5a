namespace Pipeline.Tests.Allocations;

/// <summary>Tests that count allocated bytes; they run alone.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AllocationCollection
{
    public const string Name = "Allocations";
}
