namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>
/// Passes everything through, and keeps the first bytes read, which a failed TLS handshake does not return. Disposing it leaves the inner stream open.
/// </summary>
internal sealed class FirstBytesStream(Stream inner) : Stream
{
    private readonly byte[] _first = new byte[ForeignProtocol.PrefixLength];
    private int _kept;

    public ReadOnlySpan<byte> First => _first.AsSpan(0, _kept);

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        _kept == _first.Length ? inner.ReadAsync(buffer, cancellationToken) : ReadFirstAsync(buffer, cancellationToken);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        inner.WriteAsync(buffer, cancellationToken);

    public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);

    public override void Flush() => inner.Flush();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    private async ValueTask<int> ReadFirstAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        int read = await inner.ReadAsync(buffer, cancellationToken);
        int kept = Math.Min(read, _first.Length - _kept);
        buffer.Span[..kept].CopyTo(_first.AsSpan(_kept));
        _kept += kept;
        return read;
    }
}
