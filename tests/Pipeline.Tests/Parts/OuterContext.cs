namespace Pipeline.Tests.Parts;

/// <summary>The first stage.</summary>
internal sealed class OuterContext : TracedContext;
