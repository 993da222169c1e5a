using Pipeline.Buffers;
using Pipeline.Contexts;
using Messaging.Archive.Headers;

namespace Messaging.Archive;

/// <summary>The logical stage's context: the header that was read, the key made from it, and the bytes to store.</summary>
internal sealed class ArchiveContext : PipelineContext
{
    // It stays with the context.
    private readonly PooledBuffer _key = BufferPool.Shared.Rent();

    /// <summary>The values read from the body.</summary>
    public ArchiveHeader Header { get; } = new();

    /// <summary>The bytes to store: the message's body, unchanged. A borrow from the physical message.</summary>
    public ReadOnlyMemory<byte> Body { get; set; }

    /// <summary>The object's key, UTF-8; empty until it is written.</summary>
    public ReadOnlyMemory<byte> Key => _key.WrittenMemory;

    /// <summary>The buffer to write the key to; empty after <see cref="Reset"/>.</summary>
    public PooledBuffer KeyBuffer => _key;

    /// <inheritdoc/>
    public override void Reset()
    {
        base.Reset();
        Header.Reset();
        Body = default;
        _key.Truncate(0);
    }
}
