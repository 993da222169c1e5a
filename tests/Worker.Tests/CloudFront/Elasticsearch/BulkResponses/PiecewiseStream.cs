namespace Worker.Tests.CloudFront.Elasticsearch.BulkResponses;

/// <summary>Gives its bytes in pieces of one size, each after a real suspension, and breaks where it is told to.</summary>
internal sealed class PiecewiseStream(byte[] bytes, int piece) : MemoryStream(bytes)
{
    /// <summary>Reading from here on throws.</summary>
    public long BreaksAt { get; init; } = long.MaxValue;

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        await Task.Yield();
        return Position >= BreaksAt ? throw new IOException("The connection broke.") : Read(buffer.Span[..Math.Min(piece, buffer.Length)]);
    }
}
