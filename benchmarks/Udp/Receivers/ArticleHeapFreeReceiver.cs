using System.Net;
using System.Net.Sockets;
using System.Text;
using Benchmarks.Receiving;

namespace Benchmarks.Udp.Receivers;

/// <summary>The article's improvement: one buffer of bytes and one of characters, used again for each datagram.</summary>
internal sealed class ArticleHeapFreeReceiver : IReceiver
{
    private readonly Socket _socket = ReceiverThread.Open();
    private long _received;

    public int Port => ((IPEndPoint)_socket.LocalEndPoint!).Port;

    public long Received => Volatile.Read(ref _received);

    public void Start() => _ = Task.Run(ReceiveAsync);

    public void Dispose() => _socket.Dispose();

    private async Task ReceiveAsync()
    {
        byte[] bytes = new byte[DatagramSender.DatagramBytes];
        char[] chars = new char[DatagramSender.DatagramBytes];
        while (true)
        {
            int size = await _socket.ReceiveAsync(new Memory<byte>(bytes), SocketFlags.None, CancellationToken.None);
            int length = Encoding.UTF8.GetChars(bytes, 0, size, chars, 0);
            ArticleChecksum.Use(ArticleChecksum.Compute(chars.AsSpan(0, length)));
            Volatile.Write(ref _received, _received + 1);
        }
    }
}
