using System.CommandLine;
using System.Globalization;
using Benchmarks.Receiving;
using Benchmarks.Udp.Receivers;
using Pipeline.Buffers;
using Worker.Sources.Udp;

namespace Benchmarks.Udp;

/// <summary><c>udp</c>: datagrams of 512 bytes over loopback, received in every way there is.</summary>
internal static class UdpCommand
{
    public const string ReceiverVerb = "udp-receiver";
    public const string SenderVerb = "udp-sender";

    private static readonly Dictionary<string, Func<IReceiver>> Receivers = new(StringComparer.Ordinal)
    {
        ["BareBatch"] = static () => new BareBatchReceiver(gathers: false),
        ["BareBatchGathering"] = static () => new BareBatchReceiver(gathers: true),
        ["ArticleWithoutChannel"] = static () => new ArticleReceiver(withChannel: false),
        ["ArticleWithChannel"] = static () => new ArticleReceiver(withChannel: true),
        ["ArticleHeapFree"] = static () => new ArticleHeapFreeReceiver(),
        ["SocketAddress"] = static () => new SocketAddressReceiver(),
        ["EnginePortable"] = static () => new EngineReceiver(UdpReceiving.Portable),
        ["Engine"] = static () => new EngineReceiver(UdpReceiving.Batch),
        ["SourceWithChannel"] = static () => CreateSource(channelCapacity: 4_096),
        ["Source"] = static () => CreateSource(channelCapacity: 0),
    };

    /// <summary>The receivers' names, the limit first.</summary>
    public static IReadOnlyCollection<string> Names => Receivers.Keys;

    public static Command Create() => ReceivingOption.Create(
        "udp",
        "Receives datagrams of 512 bytes in every way in turn, each in a process of its own, from one sender in another; Linux (5 minutes)",
        new ReceivingCase(
            $"UDP over loopback, datagrams of {DatagramSender.DatagramBytes} bytes with a Fletcher-32 trailer",
            "udp",
            "datagram",
            ReceiverVerb,
            SenderVerb,
            [.. Receivers.Keys],
            ["BareBatch"],
            MeasuresLoss: true));

    /// <summary>Makes a receiver; it is bound and does not receive yet.</summary>
    public static IReceiver CreateReceiver(string name) => Receivers[name]();

    /// <summary>Prints the port and receives.</summary>
    public static int Receive(string name) => ReceiverLoop.Run(CreateReceiver(name));

    /// <summary>Sends until told to stop.</summary>
    public static int Send(string port, string rate)
    {
        using DatagramSender sender = new(int.Parse(port, CultureInfo.InvariantCulture));
        SenderLoop.Run(sender.Send, long.Parse(rate, CultureInfo.InvariantCulture));
        return 0;
    }

    private static SourceReceiver CreateSource(int channelCapacity)
    {
        UdpSourceOptions options = new() { Endpoint = "127.0.0.1:0", Checksum = UdpChecksum.Verify, ChannelCapacity = channelCapacity };
        UdpMessageSource source = new(NullSourceServices.Create(), options, new BufferPool());
        return new SourceReceiver(source, () => source.Endpoint);
    }
}
