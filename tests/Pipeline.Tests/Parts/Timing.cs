namespace Pipeline.Tests.Parts;

/// <summary>How a part completes: forms must treat all alike.</summary>
public enum Timing
{
    /// <summary>Within the call; the call itself throws an exception.</summary>
    Synchronous,

    /// <summary>Within the call, through an async method; an exception is returned as a faulted task.</summary>
    CompletedTask,

    /// <summary>Later, on a pool thread.</summary>
    AfterHop,
}
