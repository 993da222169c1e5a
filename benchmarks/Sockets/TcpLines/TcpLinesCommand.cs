using System.CommandLine;
using System.Globalization;
using Benchmarks.Sockets.Receiving;
using Benchmarks.Sockets.TcpLines.Receivers;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Pipeline.Buffers;

namespace Benchmarks.Sockets.TcpLines;

/// <summary><c>tcp-lines</c>: lines over one loopback connection, received in every available way.</summary>
internal static class TcpLinesCommand
{
    public const string ReceiverVerb = "tcp-lines-receiver";
    public const string SenderVerb = "tcp-lines-sender";

    private static readonly Dictionary<string, Func<IReceiver>> Receivers = new(StringComparer.Ordinal)
    {
        ["BareIndexOf"] = static () => new BareLineReceiver(),
        ["StreamReader"] = static () => new StreamReaderReceiver(),
        ["PipeLines"] = static () => new PipeLineReceiver(),
        ["SourceAcknowledging"] = static () => CreateSource(acknowledge: true),
        ["Source"] = static () => CreateSource(acknowledge: false),
    };

    /// <summary>The receivers' names, the limit first.</summary>
    public static IReadOnlyCollection<string> Names => Receivers.Keys;

    public static Command Create() => ReceivingOption.Create(
        "tcp-lines",
        "Receives lines over one connection with each receiver in turn, each in its own process, from one sender in another process (3 minutes)",
        new ReceivingCase(
            $"Lines of {LineSender.LineBytes} bytes over one loopback connection",
            "tcp-lines",
            "line",
            ReceiverVerb,
            SenderVerb,
            [.. Receivers.Keys],
            ["BareIndexOf", "StreamReader"],
            MeasuresLoss: false));

    /// <summary>Creates a receiver, which is bound but does not receive yet.</summary>
    public static IReceiver CreateReceiver(string name) => Receivers[name]();

    /// <summary>Prints the port and receives.</summary>
    public static int Receive(string name) => ReceiverLoop.Run(CreateReceiver(name));

    /// <summary>Sends until told to stop.</summary>
    public static int Send(string port)
    {
        using LineSender sender = new(int.Parse(port, CultureInfo.InvariantCulture));
        SenderLoop.Run(sender.Send, rate: 0);
        return 0;
    }

    private static SourceReceiver CreateSource(bool acknowledge)
    {
        TcpLinesSourceOptions options = new() { Endpoint = "127.0.0.1:0", Acknowledge = acknowledge };
        TcpLinesMessageSource source = new(NullSourceServices.Create(), options, new BufferPool());
        return new SourceReceiver(source, () => source.Endpoint);
    }
}
