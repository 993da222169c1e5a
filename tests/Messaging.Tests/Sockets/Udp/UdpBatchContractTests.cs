using Quayside.Messaging.Sockets.Udp;
using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Sockets.Udp;

public sealed class UdpBatchContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => new(new UdpSourceHarness(options =>
    {
        // Receives one by one where the system has no batches.
        options.Receiving = OperatingSystem.IsLinux() ? UdpReceiving.Batch : UdpReceiving.Auto;
        options.ChannelCapacity = 0;
        options.Checksum = UdpChecksum.None;
        options.MaxMessageBytes = 65_000;
    }));
}
