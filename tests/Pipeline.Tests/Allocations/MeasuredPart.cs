namespace Pipeline.Tests.Allocations;

/// <summary>The kind of parts in a measured chain.</summary>
public enum MeasuredPart
{
    Step,

    /// <summary>A step with OnError, so that a run of them catches.</summary>
    HandlingStep,
    ReturningBehavior,
    FastPathBehavior,

    /// <summary>An asynchronous method over the pooled builder.</summary>
    PooledBehavior,

    /// <summary>A plain asynchronous method, which allocates on a suspension.</summary>
    PlainBehavior,

    /// <summary>All kinds except the plain one, alternating.</summary>
    Mixed,
}
