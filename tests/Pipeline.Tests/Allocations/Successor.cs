namespace Pipeline.Tests.Allocations;

/// <summary>
/// The number after another, as a type: a struct argument gives every closed part type machine code of its own, like forty
/// parts written by hand. One type repeated forty times would flatter the JIT.
/// </summary>
internal readonly struct Successor<TNumber>
    where TNumber : struct;
