namespace Benchmarks.Pipelines;

/// <summary>What the parts do and how the innermost ends.</summary>
public enum Scenario
{
    /// <summary>Parts do something and return what next returns.</summary>
    Returning,

    /// <summary>Parts do something before and after next; nothing suspends.</summary>
    Awaiting,

    /// <summary>As Awaiting, and the innermost part really suspends once.</summary>
    RealHop,

    /// <summary>As RealHop, and the innermost part throws when it resumes.</summary>
    Throwing,

    /// <summary>As Returning, and the innermost part throws from the call: nothing suspends.</summary>
    ThrowingAtOnce,
}
