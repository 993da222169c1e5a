namespace Worker.Tests.Telemetry;

/// <summary>One after another: a listener decides for all tests which spans there are.</summary>
[CollectionDefinition(Name)]
public sealed class SpanCollection
{
    public const string Name = "spans";
}
