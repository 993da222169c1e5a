using System.Net.Sockets;
using System.Text;
using System.Threading.Channels;

namespace Benchmarks.Sockets.Udp.Receivers;

/// <summary>
/// The code of "High performance datagramming", with or without a channel between receiving and processing: a new buffer and a new
/// string per datagram, an awaited receive. Corrected: the buffer is large enough for the datagram, and the channel is bounded.
/// </summary>
internal sealed class ArticleReceiver(bool withChannel, int datagramBytes) : DatagramReceiver
{
    private readonly ArticleChecksum _checksum = new(datagramBytes);
    private readonly Channel<byte[]> _channel = Channel.CreateBounded<byte[]>(new BoundedChannelOptions(4_096) { SingleReader = true, SingleWriter = true });

    public override void Start()
    {
        _ = Task.Run(ReceiveAsync);
        if (withChannel)
        {
            _ = Task.Run(ProcessAsync);
        }
    }

    private async Task ReceiveAsync()
    {
        try
        {
            while (true)
            {
                byte[] buffer = new byte[datagramBytes];
                await Socket.ReceiveAsync(new Memory<byte>(buffer), SocketFlags.None, CancellationToken.None);
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
        catch (Exception exception) when (IsEnd(exception))
        {
            _channel.Writer.Complete();
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
        if (_checksum.IsRight(message))
        {
            Count(1);
        }
    }
}
