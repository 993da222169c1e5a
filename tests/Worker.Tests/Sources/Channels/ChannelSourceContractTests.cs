using Quayside.Messaging.Testing.Xunit;

namespace Worker.Tests.Sources.Channels;

public sealed class ChannelSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => new(new ChannelSourceHarness());
}
