namespace Benchmarks.Pipelines;

/// <summary>The work of the parts, and how the innermost one ends.</summary>
public enum Scenario
{
    /// <summary>Parts act and return what next returns.</summary>
    Returning,

    /// <summary>Parts act before and after next; nothing suspends.</summary>
    Awaiting,

    /// <summary>As Awaiting, but the innermost part really suspends once.</summary>
    RealHop,

    /// <summary>As RealHop, but the innermost part throws when it resumes.</summary>
    Throwing,

    /// <summary>As Returning, but the innermost part throws from the call: nothing suspends.</summary>
    ThrowingSynchronously,
}
