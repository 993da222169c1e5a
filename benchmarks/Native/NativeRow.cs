namespace Benchmarks.Native;

/// <summary>A figure of both builds; the name has the unit.</summary>
internal sealed record NativeRow(string Figure, double Jit, double Native);
