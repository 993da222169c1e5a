namespace Benchmarks.Pipelines.Chains;

/// <summary>The ways to run one chain that are compared.</summary>
public enum Variant
{
    /// <summary>Nested static calls, not inlined: the baseline.</summary>
    HandWritten,

    /// <summary>The Closure form, parts as most developers write them.</summary>
    Closure,

    /// <summary>The Expression form, the same parts.</summary>
    Expression,

    /// <summary>The Precompiled form, the same parts.</summary>
    PrecompiledPlain,

    /// <summary>The Precompiled form, the same parts over the runtime's pooled builder.</summary>
    RuntimePooled,

    /// <summary>The Precompiled form, parts with a synchronous fast path.</summary>
    Precompiled,

    /// <summary>The Fused form, the parts as steps.</summary>
    Fused,

    /// <summary>ASP.NET Core middleware.</summary>
    Middleware,

    /// <summary>MassTransit's filter pipe.</summary>
    MassTransit,
}
