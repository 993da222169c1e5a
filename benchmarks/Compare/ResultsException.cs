namespace Benchmarks.Compare;

/// <summary>A results folder cannot be read, or two cannot be compared.</summary>
internal sealed class ResultsException(string message) : Exception(message);
