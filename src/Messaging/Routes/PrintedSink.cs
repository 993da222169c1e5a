using Messaging.Sinks;

namespace Messaging.Routes;

/// <summary>Stands for a route's sink in a chain that is only printed: a real one would ask for region and credentials.</summary>
internal sealed class PrintedSink : IObjectSink, IDocumentSink
{
    public string Name => "printed";

    public Task CheckAsync(CancellationToken cancellationToken) => throw NotRun();

    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) => throw NotRun();

    public string Locate(string key) => throw NotRun();

    public IDocumentWriter Begin(IDocumentRejections rejections) => throw NotRun();

    public ValueTask DisposeAsync() => default;

    private static NotSupportedException NotRun() => new("The chain is printed, not run.");
}
