namespace Worker.Tests.Handlers.Archive;

/// <summary>Allocation is counted on a thread that nothing else uses meanwhile.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class ArchiveAllocationCollection
{
    public const string Name = "Archive allocation";
}
