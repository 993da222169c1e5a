using System.Net;
using System.Net.Sockets;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sockets;

namespace Messaging.Tests.Sockets;

public sealed class BoundSocketTests
{
    [Theory]
    [InlineData(SocketType.Stream)]
    [InlineData(SocketType.Dgram)]
    public void Create_AddressFamilyIsNotSupported_NamesTheSetting(SocketType type)
    {
        StartupException error =
            Should.Throw<StartupException>(() => BoundSocket.Create(type, "Sources:Udp:Endpoint", "[::1]:9081", new UnsupportedEndpoint()));

        error.ExitCode.ShouldBe(ExitCodes.Unavailable);
        error.Message.ShouldStartWith("Sources:Udp:Endpoint [::1]:9081: ");
    }

    /// <summary>Stands for an IPv6 address on a machine without IPv6.</summary>
    private sealed class UnsupportedEndpoint() : IPEndPoint(IPAddress.IPv6Loopback, 0)
    {
        public override AddressFamily AddressFamily => AddressFamily.AppleTalk;
    }
}
