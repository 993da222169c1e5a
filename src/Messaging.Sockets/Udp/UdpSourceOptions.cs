using System.Diagnostics.CodeAnalysis;
using System.Net;
using Messaging.Configuration;

namespace Messaging.Sockets.Udp;

/// <summary>Settings of the UDP source, section <c>Sources:Udp</c>.</summary>
internal sealed class UdpSourceOptions : ISelfValidating
{
    public const string Section = "Sources:Udp";

    [Setting("Address and port datagrams are received on, such as 127.0.0.1:9081, 0.0.0.0:9081 or [::1]:9081; loopback unless you say otherwise, port 0 picks a free one")]
    public string Endpoint { get; set; } = "127.0.0.1:9081";

    [Setting("Largest message in bytes, without its checksum; a larger datagram is counted and dropped", Min = "1", Max = "65527", Bytes = true,
        Consequence = "UDP carries at most 65,507 bytes over IPv4 and 65,527 over IPv6.")]
    public int MaxMessageBytes { get; set; } = 65_507;

    [Setting("Fletcher-32 checksum of each datagram: None, Compute (goes with the message as the attribute fletcher32), Verify (the datagram's last 4 bytes, big-endian; a wrong one is counted and dropped)")]
    public UdpChecksum Checksum { get; set; }

    [Setting("Auto, Batch (many datagrams a system call; Linux) or Portable (one)")]
    public UdpReceiving Receiving { get; set; }

    [Setting("Bytes of datagrams the kernel keeps while the worker is busy (SO_RCVBUF); beyond it the kernel drops and counts", Min = "4KiB", Max = "1GiB", Bytes = true,
        Consequence = "The kernel gives at most net.core.rmem_max; the worker says at start what it gave.")]
    public int ReceiveBuffer { get; set; } = 4 << 20;

    [Setting("Datagrams that wait in a channel of the worker's own between receiving and processing; 0 for no channel: they wait in the kernel", Min = "0", Max = "1000000",
        Consequence = "Each message in memory is one that a kill would lose.")]
    public int ChannelCapacity { get; set; }

    public void Validate(SettingsCheck check)
    {
        if (!TryParseEndpoint(out IPEndPoint? endpoint))
        {
            check.Fail(nameof(Endpoint), "must be an IP address and a port, such as 127.0.0.1:9081 or [::]:9081.", "There would be nothing to receive on.");
        }
        else if (!IPAddress.IsLoopback(endpoint.Address))
        {
            check.Warn(
                nameof(Endpoint),
                "accepts datagrams from other machines; UDP has neither TLS nor authentication, and a sender's address can be forged.",
                "Anyone who reaches the port can store messages: restrict it by firewall or network policy.");
        }

        if (Receiving == UdpReceiving.Batch && !OperatingSystem.IsLinux())
        {
            check.Fail(nameof(Receiving), "must be Auto or Portable on this system: only Linux has recvmmsg.");
        }
    }

    /// <summary>The endpoint as an address; true once it was validated.</summary>
    public bool TryParseEndpoint([NotNullWhen(true)] out IPEndPoint? endpoint) => SourceEndpoint.TryParse(Endpoint, out endpoint);
}

/// <summary>What is done about a datagram's Fletcher-32 checksum.</summary>
internal enum UdpChecksum
{
    /// <summary>The datagram is the message; nothing is computed.</summary>
    None = 0,

    /// <summary>The datagram is the message; its checksum is computed and goes with it as the attribute <c>fletcher32</c>.</summary>
    Compute,

    /// <summary>The datagram ends with the checksum of what is before it; it is verified and taken off, and a wrong one drops the datagram.</summary>
    Verify,
}

/// <summary>How datagrams are taken from the kernel.</summary>
internal enum UdpReceiving
{
    /// <summary>In batches where the system can, else one by one.</summary>
    Auto = 0,

    /// <summary>In batches, by recvmmsg(2): Linux.</summary>
    Batch,

    /// <summary>One by one, by <see cref="System.Net.Sockets.Socket"/>: everywhere.</summary>
    Portable,
}
