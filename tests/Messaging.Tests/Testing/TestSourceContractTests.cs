using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Testing;

public sealed class TestSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => new(new TestSourceHarness());
}
