using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.Channels;

public sealed class ChannelSourceContractTests : MessageSourceContract
{
    private protected override ValueTask<SourceHarness> CreateAsync() => new(new ChannelSourceHarness());
}
