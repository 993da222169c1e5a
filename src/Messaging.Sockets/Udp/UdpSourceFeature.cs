using System.Diagnostics.CodeAnalysis;
using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>The source that routes name as <c>Udp</c>.</summary>
internal sealed class UdpSourceFeature : ISourceFeature
{
    public string Name => "Udp";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<UdpSourceOptions>(UdpSourceOptions.Section)];

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        UdpSourceOptions options = settings.Read<UdpSourceOptions>(UdpSourceOptions.Section, route);
        SourceEndpoint.Claim(settings, "udp", UdpSourceOptions.Section, options.Endpoint, route);
        return new SourcePlan
        {
            Create = services => new UdpMessageSource(services, options, services.Services.GetService<BufferPool>() ?? BufferPool.Shared),
            KeepsDeadLetters = true,
            HoldsOnlyCopies = true,
            OnComplete = CompletionEffect.None,
            CanGive = static _ => false,
        };
    }
}

/// <summary>Settings of the UDP source, section <c>Sources:Udp</c>.</summary>
internal sealed class UdpSourceOptions : ISelfValidating
{
    public const string Section = "Sources:Udp";

    [Setting("Address and port to receive datagrams on, such as 127.0.0.1:9081, 0.0.0.0:9081 or [::1]:9081; loopback by default, port 0 picks a free one")]
    public string Endpoint { get; set; } = "127.0.0.1:9081";

    [Setting("Largest message in bytes, without its checksum; a larger datagram is counted and dropped", Min = "1", Max = "65527", Bytes = true,
        Consequence = "UDP carries at most 65,507 bytes over IPv4 and 65,527 over IPv6.")]
    public int MaxMessageBytes { get; set; } = 65_507;

    [Setting(
        "Fletcher-32 checksum of each datagram: None, or Verify (the datagram's last 4 bytes, big-endian; a wrong one is counted and dropped)",
        Advanced = true)]
    public UdpChecksum Checksum { get; set; }

    [Setting(
        "Bytes of datagrams that the kernel buffers until the worker reads them (SO_RCVBUF); beyond that the kernel drops and counts them", Min = "4KiB",
        Max = "1GiB", Bytes = true,
        Consequence = "The kernel allows at most net.core.rmem_max; the worker logs the actual size at start.", Advanced = true)]
    public int ReceiveBuffer { get; set; } = 4 << 20;

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
                "Anyone who can reach the port can store messages: restrict access with a firewall or network policy.");
        }
    }

    /// <summary>Parses the endpoint; succeeds after validation.</summary>
    public bool TryParseEndpoint([NotNullWhen(true)] out IPEndPoint? endpoint) => SourceEndpoint.TryParse(Endpoint, out endpoint);
}

/// <summary>How to treat a datagram's Fletcher-32 checksum.</summary>
internal enum UdpChecksum
{
    /// <summary>The datagram is the message.</summary>
    None = 0,

    /// <summary>The datagram ends with the checksum of the bytes before it, which is verified and removed. A wrong one drops the datagram.</summary>
    Verify,
}
