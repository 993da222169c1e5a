namespace Messaging.Tests.Telemetry;

/// <summary>These tests run one after another: a listener decides for the whole process which spans exist.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class SpanCollection
{
    public const string Name = "spans";
}
