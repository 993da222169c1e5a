using System.Net.Sockets;
using System.Text;

namespace Benchmarks.Sockets.Udp.Receivers;

/// <summary>The article's improvement: one buffer of bytes and one of characters, reused for each datagram.</summary>
internal sealed class ArticleHeapFreeReceiver(int datagramBytes) : DatagramReceiver
{
    private readonly ArticleChecksum _checksum = new(datagramBytes);

    public override void Start() => _ = Task.Run(ReceiveAsync);

    private async Task ReceiveAsync()
    {
        byte[] bytes = new byte[datagramBytes];
        char[] chars = new char[datagramBytes];
        try
        {
            while (true)
            {
                int size = await Socket.ReceiveAsync(new Memory<byte>(bytes), SocketFlags.None, CancellationToken.None);
                int length = Encoding.UTF8.GetChars(bytes, 0, size, chars, 0);
                if (_checksum.IsRight(chars.AsSpan(0, length)))
                {
                    Count(1);
                }
            }
        }
        catch (Exception exception) when (IsEnd(exception))
        {
        }
    }
}
