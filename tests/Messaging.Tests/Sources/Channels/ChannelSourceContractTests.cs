using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Sources.Channels;

public sealed class ChannelSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => new(new ChannelSourceHarness());
}
