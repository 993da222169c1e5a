namespace Pipeline.Tests.Allocations;

/// <summary>Which parts a measured chain is made of.</summary>
public enum MeasuredPart
{
    Step,

    /// <summary>A step with OnError, so that a run of them catches.</summary>
    HandlingStep,
    ReturningBehavior,
    FastPathBehavior,

    /// <summary>An asynchronous method over the pooled builder.</summary>
    PooledBehavior,

    /// <summary>A plain asynchronous method: what it allocates on a suspension is its own.</summary>
    PlainBehavior,

    /// <summary>All but the plain ones, in turn.</summary>
    Mixed,
}
