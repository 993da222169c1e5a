namespace Benchmarks.Walk;

/// <summary>A station of a message on its way from SQS to S3.</summary>
/// <param name="Name">A verb, or the thing that is passed.</param>
/// <param name="Text">What happens, for a reader who has never seen the code.</param>
/// <param name="Types">The types to read, with namespaces and without arity. The first is where to begin.</param>
internal sealed record Station(string Name, string Text, params string[] Types);
