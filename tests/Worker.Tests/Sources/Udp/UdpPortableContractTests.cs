using Messaging.Sockets.Udp;
using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.Udp;

public sealed class UdpPortableContractTests : MessageSourceContract
{
    private protected override ValueTask<SourceHarness> CreateAsync() => new(new UdpSourceHarness(options =>
    {
        options.Receiving = UdpReceiving.Portable;
        options.ChannelCapacity = 0;
        options.Checksum = UdpChecksum.Verify;
        options.MaxMessageBytes = 65_000;
    }));
}
