namespace Worker.Tests.Intake;

/// <summary>Tests that count the process's allocations run alone.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class IntakeAllocations
{
    public const string Name = "Intake allocations";
}
