using Messaging.Sockets.Udp;
using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.Udp;

public sealed class UdpChannelContractTests : MessageSourceContract
{
    private protected override ValueTask<SourceHarness> CreateAsync() => new(new UdpSourceHarness(options =>
    {
        options.Receiving = UdpReceiving.Auto;
        options.ChannelCapacity = 100;
        options.Checksum = UdpChecksum.Compute;
        options.MaxMessageBytes = 65_000;
    }));
}
