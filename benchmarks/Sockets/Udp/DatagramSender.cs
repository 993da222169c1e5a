using System.ComponentModel;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Benchmarks.Sockets.Udp;

/// <summary>Sends the same 64 datagrams repeatedly with sendmmsg(2).</summary>
internal sealed class DatagramSender : IDisposable
{
    private readonly DatagramBatch _batch;
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);

    /// <param name="port">The receiver's port, on loopback.</param>
    /// <param name="bytes">Bytes of a datagram, trailer included.</param>
    public DatagramSender(int port, int bytes)
    {
        _batch = new DatagramBatch(DatagramContent.Count, bytes);
        for (int i = 0; i < DatagramContent.Count; i++)
        {
            DatagramContent.Write(_batch[i], i);
        }

        _socket.Connect(IPAddress.Loopback, port);
    }

    /// <returns>Datagrams sent.</returns>
    public int Send()
    {
        int sent = BatchCalls.Send(_socket.SafeHandle, _batch.Headers, DatagramContent.Count, flags: 0);
        return sent >= 0 ? sent : throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    public void Dispose() => _socket.Dispose();
}
