namespace Benchmarks.Pipelines;

internal sealed class BenchException() : Exception("The sink refused the object.");
