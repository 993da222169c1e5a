using System.Collections.Concurrent;
using System.Text;

namespace Messaging.Sinks.Memory;

/// <summary>
/// Keeps objects in memory up to a capacity. Completes synchronously; allocates the key and a copy of the body, or nothing once the capacity
/// is reached. Threads: any number at once.
/// </summary>
internal sealed class MemorySink(MemorySinkOptions options) : IObjectSink
{
    private readonly long _capacity = options.Capacity;
    private readonly ConcurrentDictionary<string, byte[]> _objects = new(StringComparer.Ordinal);
    private long _bytes;
    private long _stored;

    public string Name => "memory";

    /// <summary>Objects stored, including dropped ones.</summary>
    public long Count => Volatile.Read(ref _stored);

    public IReadOnlyDictionary<string, byte[]> Objects => _objects;

    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<SinkResult>(cancellationToken)
            : new ValueTask<SinkResult>(Store(key.Span, body.Span));

    public string Locate(string key) => $"memory:{key}";

    public ValueTask DisposeAsync() => default;

    private SinkResult Store(ReadOnlySpan<byte> key, ReadOnlySpan<byte> body)
    {
        // Reserved before the copy is made, so that concurrent stores cannot exceed the capacity together.
        int size = key.Length + body.Length;
        if (Interlocked.Add(ref _bytes, size) > _capacity)
        {
            Interlocked.Add(ref _bytes, -size);
            Interlocked.Increment(ref _stored);
            return SinkResult.Stored;
        }

        string name = Encoding.UTF8.GetString(key);
        if (_objects.TryAdd(name, body.ToArray()))
        {
            Interlocked.Increment(ref _stored);
            return SinkResult.Stored;
        }

        Interlocked.Add(ref _bytes, -size);
        return body.SequenceEqual(_objects[name])
            ? SinkResult.AlreadyStored
            : new SinkResult(SinkStatus.Collision, "The key holds other bytes.");
    }
}
