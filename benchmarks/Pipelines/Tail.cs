namespace Benchmarks.Pipelines;

/// <summary>How the innermost part ends.</summary>
internal enum Tail
{
    /// <summary>Synchronously.</summary>
    Returns,

    /// <summary>After a real suspension, resumed by the driver on its own thread.</summary>
    Hops,

    /// <summary>With an exception, after a real suspension.</summary>
    ThrowsAfterHop,

    /// <summary>With an exception, from the call.</summary>
    Throws,
}
