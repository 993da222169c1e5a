using Messaging.Sinks;

namespace Messaging.Routes;

/// <summary>Replaces a route's sink in a pipeline to print; a real one would need a region and credentials.</summary>
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
