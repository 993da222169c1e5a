namespace Pipeline.Tests.Parts;

/// <summary>What the tests' parts throw; the message names the part.</summary>
internal sealed class PartException(string part) : Exception(part);
