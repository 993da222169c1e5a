using Pipeline.Buffers;
using Pipeline.Contexts;
using Worker.Headers;

namespace Worker.Archive;

/// <summary>The logical stage's context: the header that was read, the key made from it, and the bytes to store.</summary>
internal sealed class ArchiveContext : PipelineContext
{
    private PooledBuffer? _key;

    /// <summary>The values read from the body.</summary>
    public ArchiveHeader Header { get; } = new();

    /// <summary>The bytes to store: the message's body, unchanged. A borrow from the physical message.</summary>
    public ReadOnlyMemory<byte> Body { get; set; }

    /// <summary>The object's key, UTF-8; empty until it is written.</summary>
    public ReadOnlyMemory<byte> Key => _key?.WrittenMemory ?? default;

    /// <summary>Rents the buffer the key is written to; <see cref="Reset"/> returns it.</summary>
    public PooledBuffer RentKey(int capacity) => _key ??= BufferPool.Shared.Rent(capacity);

    /// <inheritdoc/>
    public override void Reset()
    {
        base.Reset();
        Header.Reset();
        Body = default;
        _key?.Dispose();
        _key = null;
    }
}
