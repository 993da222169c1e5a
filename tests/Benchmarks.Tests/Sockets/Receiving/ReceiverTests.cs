using System.Net;
using System.Net.Sockets;
using System.Text;
using Benchmarks.Sockets.Receiving;
using Benchmarks.Sockets.TcpLines;
using Benchmarks.Sockets.Udp;
using Quayside.Messaging.Sockets.Udp;

namespace Benchmarks.Tests.Sockets.Receiving;

/// <summary>Every receiver receives each message and counts it once, so the comparison is of equal work.</summary>
public sealed class ReceiverTests
{
    public static TheoryData<string, int> Datagrams =>
        new(from name in UdpCommand.Names from bytes in (int[])[UdpCommand.SmallDatagramBytes, UdpCommand.DatagramBytes] select (name, bytes));

    public static TheoryData<string> Lines => [.. TcpLinesCommand.Names];

    [Theory]
    [MemberData(nameof(Datagrams))]
    public async Task Receive_Datagrams_CountsEachOnce(string name, int bytes)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sendmmsg and recvmmsg are Linux's.");
        using IReceiver receiver = UdpCommand.CreateReceiver(name, bytes);
        using DatagramSender sender = new(receiver.Port, bytes);
        int sent = 0;
        receiver.Start();

        // No more in flight than each receiver's kernel buffer holds.
        for (int call = 0; call < 10; call++)
        {
            sent += sender.Send();
            await ShouldReceiveAsync(receiver, sent);
        }
    }

    [Theory]
    [InlineData("ArticleWithoutChannel")]
    [InlineData("ArticleWithChannel")]
    [InlineData("ArticleHeapFree")]
    [InlineData("Source")]
    public async Task Receive_DamagedDatagram_IsNotCounted(string name)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sendmmsg and recvmmsg are Linux's.");
        using IReceiver receiver = UdpCommand.CreateReceiver(name, UdpCommand.SmallDatagramBytes);
        using Socket damaging = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        using DatagramSender sender = new(receiver.Port, UdpCommand.SmallDatagramBytes);
        byte[] datagram = new byte[UdpCommand.SmallDatagramBytes];
        DatagramContent.Write(datagram, index: 0);
        datagram[10]++;
        receiver.Start();

        // Loopback keeps the order of datagrams: once the good ones are counted, the damaged one has been read.
        damaging.SendTo(datagram, new IPEndPoint(IPAddress.Loopback, receiver.Port));
        int sent = sender.Send();

        await ShouldReceiveAsync(receiver, sent);
    }

    [Theory]
    [InlineData(UdpCommand.SmallDatagramBytes)]
    [InlineData(UdpCommand.DatagramBytes)]
    public void Write_EveryDatagram_IsTextWithARightTrailer(int bytes)
    {
        byte[] datagram = new byte[bytes];
        for (int i = 0; i < DatagramContent.Count; i++)
        {
            DatagramContent.Write(datagram, i);

            Ascii.IsValid(datagram).ShouldBeTrue();
            Fletcher32.TryVerify(datagram, out _).ShouldBeTrue();
        }
    }

    [Theory]
    [MemberData(nameof(Lines))]
    public async Task Receive_Lines_CountsEachOnce(string name)
    {
        using IReceiver receiver = TcpLinesCommand.CreateReceiver(name);
        receiver.Start();
        using LineSender sender = new(receiver.Port);
        int sent = 0;
        for (int call = 0; call < 50; call++)
        {
            sent += sender.Send();
        }

        await ShouldReceiveAsync(receiver, sent);
    }

    private static async Task ShouldReceiveAsync(IReceiver receiver, int expected)
    {
        for (int attempt = 0; receiver.Received < expected; attempt++)
        {
            attempt.ShouldBeLessThan(3_000, $"{receiver.Received} of {expected} were received.");
            await Task.Delay(10);
        }

        receiver.Received.ShouldBe(expected);
    }
}
