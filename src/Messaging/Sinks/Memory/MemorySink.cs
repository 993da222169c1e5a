using System.Collections.Concurrent;
using System.Text;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Sinks.Memory;

/// <summary>
/// Keeps objects in memory up to a capacity. Completes synchronously; allocates the key and a copy of the body, or nothing once the capacity
/// is reached. Threads: any number concurrently.
/// </summary>
internal sealed class MemorySink(MemorySinkOptions options) : IObjectSink
{
    private readonly long _capacity = options.Capacity;
    private readonly ConcurrentDictionary<string, byte[]> _objects = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, ObjectProperties> _properties = new(StringComparer.Ordinal);
    private readonly StripedCounter _stored = new();
    private long _bytes;

    /// <summary>Objects stored, including dropped ones.</summary>
    public long Count => _stored.Value;

    public IReadOnlyDictionary<string, byte[]> Objects => _objects;

    /// <summary>The metadata and tags of the objects that have any.</summary>
    public IReadOnlyDictionary<string, ObjectProperties> Properties => _properties;

    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        StoreAsync(key, body, ObjectProperties.None, cancellationToken);

    public ValueTask<SinkResult> StoreAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties properties, CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<SinkResult>(cancellationToken)
            : new ValueTask<SinkResult>(Store(key.Span, body.Span, properties));

    public string Locate(string key) => $"memory:{key}";

    public ValueTask DisposeAsync() => default;

    private SinkResult Store(ReadOnlySpan<byte> key, ReadOnlySpan<byte> body, ObjectProperties properties)
    {
        // Reserved before the copy is made, so that concurrent stores cannot exceed the capacity together.
        int size = key.Length + body.Length + SizeOf(properties);
        if (size > _capacity - Volatile.Read(ref _bytes) || !TryReserve(size))
        {
            _stored.Increment();
            return SinkResult.Stored;
        }

        string name = Encoding.UTF8.GetString(key);
        if (_objects.TryAdd(name, body.ToArray()))
        {
            Keep(name, properties);
            _stored.Increment();
            return SinkResult.Stored;
        }

        Interlocked.Add(ref _bytes, -size);
        return body.SequenceEqual(_objects[name])
            ? SinkResult.AlreadyStored
            : new SinkResult(SinkStatus.Collision, "The key holds other bytes.");
    }

    private void Keep(string name, ObjectProperties properties)
    {
        if (!properties.IsEmpty)
        {
            _properties[name] = properties;
        }
    }

    private static int SizeOf(ObjectProperties properties)
    {
        int size = 0;
        foreach ((string name, string value) in properties.IsEmpty ? [] : properties.Metadata.Concat(properties.Tags))
        {
            size += name.Length + value.Length;
        }

        return size;
    }

    private bool TryReserve(int size)
    {
        if (Interlocked.Add(ref _bytes, size) <= _capacity)
        {
            return true;
        }

        Interlocked.Add(ref _bytes, -size);
        return false;
    }
}
