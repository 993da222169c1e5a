using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Messaging.Sockets.Udp;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds sources that listen on their own sockets to a worker.</summary>
public static class SocketsWorkerBuilderExtensions
{
    /// <summary>Adds the source <c>Udp</c>: one message per datagram. Settings: <c>Sources:Udp</c>.</summary>
    public static IMessageWorkerBuilder AddUdp(this IMessageWorkerBuilder builder) => builder.AddSource(new UdpSourceFeature());

    /// <summary>Adds the source <c>TcpLines</c>: one message per line of a TCP connection. Settings: <c>Sources:TcpLines</c>.</summary>
    public static IMessageWorkerBuilder AddTcpLines(this IMessageWorkerBuilder builder) => builder.AddSource(new TcpLinesSourceFeature());
}
