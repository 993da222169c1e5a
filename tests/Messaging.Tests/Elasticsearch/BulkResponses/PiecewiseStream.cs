namespace Messaging.Tests.Elasticsearch.BulkResponses;

/// <summary>Returns its bytes in pieces of one size, each after a real suspension, and can throw at a given position.</summary>
internal sealed class PiecewiseStream(byte[] bytes, int piece) : MemoryStream(bytes)
{
    /// <summary>The position from which reading throws.</summary>
    public long BreaksAt { get; init; } = long.MaxValue;

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        await Task.Yield();
        return Position >= BreaksAt ? throw new IOException("The connection broke.") : Read(buffer.Span[..Math.Min(piece, buffer.Length)]);
    }
}
