using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading.Channels;
using Benchmarks.Receiving;

namespace Benchmarks.Udp.Receivers;

/// <summary>
/// The shape of "High performance datagramming", with a channel between receiving and processing or without: a new buffer and a new
/// string a datagram, an awaited receive. Corrected: the buffer has room for the datagram, and the channel is bounded.
/// </summary>
internal sealed class ArticleReceiver(bool withChannel) : IReceiver
{
    private readonly Socket _socket = ReceiverThread.Open();
    private readonly Channel<byte[]> _channel = Channel.CreateBounded<byte[]>(new BoundedChannelOptions(4_096) { SingleReader = true, SingleWriter = true });
    private long _received;

    public int Port => ((IPEndPoint)_socket.LocalEndPoint!).Port;

    public long Received => Volatile.Read(ref _received);

    public void Start()
    {
        _ = Task.Run(ReceiveAsync);
        if (withChannel)
        {
            _ = Task.Run(ProcessAsync);
        }
    }

    public void Dispose() => _socket.Dispose();

    private async Task ReceiveAsync()
    {
        while (true)
        {
            byte[] buffer = new byte[DatagramSender.DatagramBytes];
            await _socket.ReceiveAsync(new Memory<byte>(buffer), SocketFlags.None, CancellationToken.None);
            if (withChannel)
            {
                await _channel.Writer.WriteAsync(buffer);
            }
            else
            {
                Process(buffer);
            }
        }
    }

    private async Task ProcessAsync()
    {
        await foreach (byte[] buffer in _channel.Reader.ReadAllAsync())
        {
            Process(buffer);
        }
    }

    private void Process(byte[] buffer)
    {
        string message = Encoding.UTF8.GetString(buffer);
        ArticleChecksum.Use(ArticleChecksum.Compute(message));
        Volatile.Write(ref _received, _received + 1);
    }
}
