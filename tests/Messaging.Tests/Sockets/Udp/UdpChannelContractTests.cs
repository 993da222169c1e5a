using Quayside.Messaging.Sockets.Udp;
using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Sockets.Udp;

public sealed class UdpChannelContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => new(new UdpSourceHarness(options =>
    {
        options.Receiving = UdpReceiving.Auto;
        options.ChannelCapacity = 100;
        options.Checksum = UdpChecksum.Compute;
        options.MaxMessageBytes = 65_000;
    }));
}
