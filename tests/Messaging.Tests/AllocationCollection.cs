namespace Messaging.Tests;

/// <summary>Tests that count allocated bytes; they run alone, because some count the bytes of the whole process.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AllocationCollection
{
    public const string Name = "allocations";
}
