using Benchmarks.Receiving;
using Benchmarks.TcpLines;
using Benchmarks.Udp;

namespace Benchmarks.Tests.Receiving;

/// <summary>What is compared does the same work: each receives every message, and counts it once.</summary>
public sealed class ReceiverTests
{
    public static TheoryData<string> Datagrams => [.. UdpCommand.Names];

    public static TheoryData<string> Lines => [.. TcpLinesCommand.Names];

    [Theory]
    [MemberData(nameof(Datagrams))]
    public async Task Receive_Datagrams_CountsEachOnce(string name)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sendmmsg and recvmmsg are Linux's.");
        using IReceiver receiver = UdpCommand.CreateReceiver(name);
        using DatagramSender sender = new(receiver.Port);
        int sent = 0;
        receiver.Start();

        // No more at once than every receiver's kernel buffer holds.
        for (int call = 0; call < 10; call++)
        {
            sent += sender.Send();
            await ShouldReceiveAsync(receiver, sent);
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

        await Task.Delay(20);
        receiver.Received.ShouldBe(expected);
    }
}
