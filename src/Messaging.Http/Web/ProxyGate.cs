using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections;
using Quayside.Messaging.Sources.Proxies;

namespace Quayside.Messaging.Http.Web;

/// <summary>
/// Kestrel's connection middleware for the header of the PROXY protocol: reads it where the settings require it, and closes a connection that begins with one
/// where they do not, since Kestrel would only answer that its first line is no request. A program on this machine may come without the header: a health check
/// of the container, redrive, status. A proxy on this machine sends it before each caller's first byte. Threads: any. 0 B per request.
/// </summary>
internal sealed class ProxyGate(WebOptions options, HttpConnections connections)
{
    private const string Key = $"{WebOptions.Section}:{nameof(WebOptions.ProxyProtocol)}";
    private const string Unexpected = $"It began with a PROXY protocol header. Set {Key}=true, or switch the PROXY protocol off for this port at the load balancer or proxy.";
    private const string Missing = $"It began without the PROXY protocol header that {Key} requires. Switch the PROXY protocol on at the load balancer or proxy; health checks from other machines need it too.";

    // Both versions begin so; no request does.
    private static ReadOnlySpan<byte> Text => "PROXY "u8;

    private static ReadOnlySpan<byte> Binary => "\r\n\r\n\0\r\n"u8;

    public async Task ServeAsync(ConnectionContext transport, ConnectionDelegate next)
    {
        try
        {
            if (!(options.ProxyProtocol ? await TryReadAsync(transport) : await TryPassAsync(transport)))
            {
                return;
            }
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // The caller is gone, or the connection was closed meanwhile.
            return;
        }

        await next(transport);
    }

    private async ValueTask<bool> TryPassAsync(ConnectionContext transport)
    {
        PipeReader reader = transport.Transport.Input;
        ReadResult result = await reader.ReadAsync(CancellationToken.None);
        bool isHeader = BeginsHeader(result.Buffer);

        // Nothing is consumed: Kestrel reads it again.
        reader.AdvanceTo(result.Buffer.Start);
        if (isHeader)
        {
            connections.CloseForHeader(transport, HttpConnections.ProxyProtocol, Unexpected);
        }

        return !isHeader;
    }

    private async ValueTask<bool> TryReadAsync(ConnectionContext transport)
    {
        PipeReader reader = transport.Transport.Input;
        int left = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync(CancellationToken.None);
            ProxyHeaderKind kind = Read(result.Buffer, out left, out IPEndPoint? source);
            if (kind == ProxyHeaderKind.Undecided && !result.IsCompleted)
            {
                reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
                continue;
            }

            if (kind == ProxyHeaderKind.Invalid && transport.RemoteEndPoint is IPEndPoint { Address: { } address } && IPAddress.IsLoopback(address) && !BeginsHeader(result.Buffer))
            {
                reader.AdvanceTo(result.Buffer.Start);
                return true;
            }

            if (kind != ProxyHeaderKind.Complete)
            {
                bool isHealthCheck = result.Buffer.IsEmpty;
                reader.AdvanceTo(result.Buffer.End);
                if (!isHealthCheck)
                {
                    connections.CloseForHeader(transport, HttpConnections.NoProxyHeader, Missing);
                }

                return false;
            }

            transport.RemoteEndPoint = source ?? transport.RemoteEndPoint;
            int present = (int)Math.Min(left, result.Buffer.Length);
            reader.AdvanceTo(result.Buffer.GetPosition(present));
            return await TrySkipAsync(reader, left - present);
        }
    }

    /// <summary>Skips the header's extensions (TLVs).</summary>
    private static async ValueTask<bool> TrySkipAsync(PipeReader reader, int left)
    {
        while (left > 0)
        {
            ReadResult result = await reader.ReadAsync(CancellationToken.None);
            int count = (int)Math.Min(left, result.Buffer.Length);
            left -= count;
            reader.AdvanceTo(result.Buffer.GetPosition(count));
            if (result.IsCompleted && left > 0)
            {
                return false;
            }
        }

        return true;
    }

    private static ProxyHeaderKind Read(in ReadOnlySequence<byte> bytes, out int length, out IPEndPoint? source)
    {
        Span<byte> first = stackalloc byte[(int)Math.Min(bytes.Length, ProxyHeader.LongestDecisive)];
        bytes.Slice(0, first.Length).CopyTo(first);
        return ProxyHeader.Read(first, out length, out source);
    }

    private static bool BeginsHeader(in ReadOnlySequence<byte> bytes) => bytes.FirstSpan.StartsWith(Text) || bytes.FirstSpan.StartsWith(Binary);
}
