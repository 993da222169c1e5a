using System.ComponentModel;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Worker.Sources.Udp;

namespace Benchmarks.Udp;

/// <summary>Sends the same 64 datagrams again and again by sendmmsg(2).</summary>
internal sealed class DatagramSender : IDisposable
{
    public const int DatagramBytes = 512;

    private const int Batch = 64;

    private readonly DatagramBatch _batch = new(Batch, DatagramBytes);
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);

    public DatagramSender(int port)
    {
        // Printable bytes: the article's receivers decode text.
        for (int i = 0; i < Batch; i++)
        {
            Span<byte> datagram = _batch[i];
            for (int at = 0; at < datagram.Length; at++)
            {
                datagram[at] = (byte)('a' + ((i + at) % 26));
            }

            Fletcher32.WriteTrailer(datagram[..^Fletcher32.TrailerLength], datagram[^Fletcher32.TrailerLength..]);
        }

        _socket.Connect(IPAddress.Loopback, port);
    }

    /// <returns>Datagrams sent.</returns>
    public int Send()
    {
        int sent = BatchCalls.Send(_socket.SafeHandle, _batch.Headers, Batch, flags: 0);
        return sent >= 0 ? sent : throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    public void Dispose() => _socket.Dispose();
}
