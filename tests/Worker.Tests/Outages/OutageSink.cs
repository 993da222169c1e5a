using System.Collections.Concurrent;
using System.Text;
using Messaging.Sinks;

namespace Worker.Tests.Outages;

/// <summary>A store in memory that fails on demand, like S3 after its own retries. Records the order of the stores.</summary>
internal sealed class OutageSink : IObjectSink
{
    private readonly ConcurrentQueue<string> _stored = new();
    private int _attempts;

    /// <summary>The failure for a key; null to store.</summary>
    public Func<string, SinkStatus?> Fault { get; set; } = _ => null;

    public IReadOnlyList<string> Stored => [.. _stored];

    public int Attempts => Volatile.Read(ref _attempts);

    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _attempts);
        string name = Encoding.UTF8.GetString(key.Span);
        if (Fault(name) is { } status)
        {
            return new(new SinkResult(status, "The store is down.", Exhausted: status == SinkStatus.Transient));
        }

        _stored.Enqueue(name);
        return new(SinkResult.Stored);
    }

    public string Locate(string key) => key;

    public ValueTask DisposeAsync() => default;
}
