using System.Net;
using Quayside.Messaging.Sources.Proxies;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>Reads the PROXY header from the beginning of a connection, before TLS. Keeps the bytes after it for <see cref="Rest"/>.</summary>
internal sealed class ProxyHeaderReader(Stream inner)
{
    // In one read the header usually arrives alone, or with the sender's first bytes.
    private readonly byte[] _bytes = new byte[ProxyHeader.LongestDecisive];
    private int _count;
    private int _used;

    /// <summary>What was read so far.</summary>
    public ReadOnlyMemory<byte> First => _bytes.AsMemory(0, _count);

    /// <summary>The sender as the proxy states it; null when it states none.</summary>
    public IPEndPoint? Source { get; private set; }

    /// <summary>The connection after the header.</summary>
    public Stream Rest => _used == _count ? inner : new LeadingStream(_bytes.AsMemory(_used, _count - _used), inner);

    /// <returns>Undecided when the connection ended first.</returns>
    /// <exception cref="IOException">The connection broke.</exception>
    public async ValueTask<ProxyHeaderKind> ReadAsync(CancellationToken cancellationToken)
    {
        ProxyHeaderKind kind;
        int length;
        IPEndPoint? source;
        do
        {
            int read = await inner.ReadAsync(_bytes.AsMemory(_count), cancellationToken);
            if (read == 0)
            {
                return ProxyHeaderKind.Undecided;
            }

            _count += read;
            kind = ProxyHeader.Read(_bytes.AsSpan(0, _count), out length, out source);
        }
        while (kind == ProxyHeaderKind.Undecided);

        Source = source;
        _used = Math.Min(length, _count);
        return kind == ProxyHeaderKind.Complete && !await TrySkipAsync(length - _used, cancellationToken) ? ProxyHeaderKind.Undecided : kind;
    }

    /// <summary>Skips the header's extensions (TLVs).</summary>
    private async ValueTask<bool> TrySkipAsync(int left, CancellationToken cancellationToken)
    {
        byte[] skipped = new byte[Math.Min(left, 4_096)];
        while (left > 0)
        {
            int read = await inner.ReadAsync(skipped.AsMemory(0, Math.Min(left, skipped.Length)), cancellationToken);
            if (read == 0)
            {
                return false;
            }

            left -= read;
        }

        return true;
    }
}
