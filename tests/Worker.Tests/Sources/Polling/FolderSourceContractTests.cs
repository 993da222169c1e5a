using Quayside.Messaging.Testing.Xunit;

namespace Worker.Tests.Sources.Polling;

public sealed class FolderSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => new(new FolderSourceHarness());
}
