using System.Collections.Concurrent;
using System.Text;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Testing;

/// <summary>Keeps objects in memory, with failures on demand. Routes of a <see cref="TestWorker"/> name it as <c>Test</c>. Threads: any.</summary>
public sealed class MemoryObjectSink : IObjectSink
{
    private readonly ConcurrentDictionary<string, byte[]> _objects = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, ObjectProperties> _properties = new(StringComparer.Ordinal);
    private readonly Lock _script = new();

    /// <summary>The objects by their keys.</summary>
    public IReadOnlyDictionary<string, byte[]> Objects => _objects;

    /// <summary>The metadata and tags of the objects that have any, by their keys, as the handler gave them.</summary>
    public IReadOnlyDictionary<string, ObjectProperties> Properties => _properties;

    /// <summary>
    /// Decides the result of each store by its key, one store at a time: what the script keeps in a list or counts needs no lock, and it must not wait
    /// for another store. Null, or a script that returns null, stores the object. For faults: a throttled store, a refused key.
    /// </summary>
    public Func<string, SinkResult?>? Script { get; set; }

    /// <inheritdoc/>
    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        StoreAsync(key, body, ObjectProperties.None, cancellationToken);

    /// <inheritdoc/>
    public ValueTask<SinkResult> StoreAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties properties, CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<SinkResult>(cancellationToken)
            : ValueTask.FromResult(Store(Encoding.UTF8.GetString(key.Span), body.Span, properties));

    /// <inheritdoc/>
    public string Locate(string key) => $"test:{key}";

    /// <summary>Has no effect: the objects can still be read.</summary>
    public ValueTask DisposeAsync() => default;

    private SinkResult Store(string key, ReadOnlySpan<byte> body, ObjectProperties properties)
    {
        lock (_script)
        {
            if (Script?.Invoke(key) is { } result)
            {
                return result;
            }
        }

        if (_objects.TryAdd(key, body.ToArray()))
        {
            if (!properties.IsEmpty)
            {
                _properties[key] = properties;
            }

            return SinkResult.Stored;
        }

        return body.SequenceEqual(_objects[key]) ? SinkResult.AlreadyStored : new SinkResult(SinkStatus.Collision, "The key holds other bytes.");
    }
}
