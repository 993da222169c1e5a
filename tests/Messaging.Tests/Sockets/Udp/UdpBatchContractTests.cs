using Quayside.Messaging.Sockets.Udp;
using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Sockets.Udp;

public sealed class UdpBatchContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => new(new UdpSourceHarness(options =>
    {
        options.Checksum = UdpChecksum.None;
        options.MaxMessageBytes = 65_000;
    }));
}
