namespace Benchmarks.Compare;

/// <summary>Garbage collections per operation; a collection of generation 1 counts as one of generation 0 too.</summary>
internal readonly record struct CollectionRate(double Gen0, double Gen1);
