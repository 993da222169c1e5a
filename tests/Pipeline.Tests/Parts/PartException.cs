namespace Pipeline.Tests.Parts;

/// <summary>The exception of the tests' parts; the message names the part.</summary>
internal sealed class PartException(string part) : Exception(part);
