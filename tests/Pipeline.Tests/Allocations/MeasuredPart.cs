namespace Pipeline.Tests.Allocations;

/// <summary>Which parts a measured chain is made of.</summary>
public enum MeasuredPart
{
    Step,
    ReturningBehavior,
    FastPathBehavior,
    AwaitingBehavior,

    /// <summary>All of them in turn.</summary>
    Mixed,
}
