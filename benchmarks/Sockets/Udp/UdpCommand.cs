using System.CommandLine;
using System.Globalization;
using Benchmarks.Sockets.Receiving;
using Benchmarks.Sockets.Udp.Receivers;
using Quayside.Messaging.Sockets.Udp;
using Quayside.Pipeline.Buffers;

namespace Benchmarks.Sockets.Udp;

/// <summary>
/// <c>udp</c>, and <c>udp64</c> of the lab: datagrams of 512 bytes, and of 64 as in the article, over loopback, received in every available way.
/// </summary>
internal static class UdpCommand
{
    public const string ReceiverVerb = "udp-receiver";
    public const string SenderVerb = "udp-sender";
    public const string SmallReceiverVerb = "udp64-receiver";
    public const string SmallSenderVerb = "udp64-sender";

    /// <summary>Bytes of a datagram, trailer included.</summary>
    public const int DatagramBytes = 512;

    /// <summary>Bytes of the article's datagrams.</summary>
    public const int SmallDatagramBytes = 64;

    private const string Limit = "BareBatch";

    private static readonly string[] ComparedWithTheArticle = [Limit, "ArticleWithoutChannel", "ArticleHeapFree", "Source"];

    private static readonly Dictionary<string, Func<int, IReceiver>> Receivers = new(StringComparer.Ordinal)
    {
        [Limit] = static _ => new BareBatchReceiver(gathers: false),
        ["BareBatchGathering"] = static _ => new BareBatchReceiver(gathers: true),
        ["ArticleWithoutChannel"] = static bytes => new ArticleReceiver(withChannel: false, bytes),
        ["ArticleWithChannel"] = static bytes => new ArticleReceiver(withChannel: true, bytes),
        ["ArticleHeapFree"] = static bytes => new ArticleHeapFreeReceiver(bytes),
        ["SocketAddress"] = static _ => new SocketAddressReceiver(),
        ["EnginePortable"] = static _ => new EngineReceiver(isPortable: true),
        ["Engine"] = static _ => new EngineReceiver(isPortable: false),
        ["Source"] = static _ => CreateSource(),
    };

    /// <summary>The receivers' names, the limit first.</summary>
    public static IReadOnlyCollection<string> Names => Receivers.Keys;

    public static Command Create() => ReceivingOption.Create(
        "udp",
        "Receives datagrams of 512 bytes with each receiver in turn, each in its own process, from one sender in another process; Linux (5 minutes)",
        Case("udp", DatagramBytes, ReceiverVerb, SenderVerb, [.. Receivers.Keys]));

    public static Command CreateSmall() => ReceivingOption.Create(
        "udp64",
        "Receives the article's datagrams of 64 bytes with its two receivers and with the worker's source; Linux (2 minutes)",
        Case("udp64", SmallDatagramBytes, SmallReceiverVerb, SmallSenderVerb, ComparedWithTheArticle));

    /// <summary>Creates a receiver, which is bound but does not receive yet.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="bytes">Bytes of the datagrams it will receive, trailer included.</param>
    public static IReceiver CreateReceiver(string name, int bytes) => Receivers[name](bytes);

    /// <summary>Prints the port and receives.</summary>
    public static int Receive(string name, int bytes) => ReceiverLoop.Run(CreateReceiver(name, bytes));

    /// <summary>Sends until told to stop.</summary>
    public static int Send(string port, string rate, int bytes)
    {
        using DatagramSender sender = new(int.Parse(port, CultureInfo.InvariantCulture), bytes);
        SenderLoop.Run(sender.Send, long.Parse(rate, CultureInfo.InvariantCulture));
        return 0;
    }

    private static ReceivingCase Case(string file, int bytes, string receiver, string sender, string[] receivers) => new(
        $"UDP over loopback, datagrams of {bytes} bytes with a Fletcher-32 trailer, checksums compared for equality",
        file,
        "datagram",
        receiver,
        sender,
        receivers,
        [Limit],
        MeasuresLoss: true);

    private static SourceReceiver CreateSource()
    {
        UdpSourceOptions options = new() { Endpoint = "127.0.0.1:0", Checksum = UdpChecksum.Verify };
        UdpMessageSource source = new(NullSourceServices.Create(), options, new BufferPool());
        return new SourceReceiver(source, () => source.Endpoint);
    }
}
