namespace Pipeline.Tests.Allocations;

/// <summary>
/// The successor of a number, as a type: with a struct argument every closed part type has its own machine code, like forty
/// hand-written parts. One type repeated forty times would favour the JIT.
/// </summary>
internal readonly struct Successor<TNumber>
    where TNumber : struct;
