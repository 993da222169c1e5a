using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Sources.Polling;

public sealed class FolderSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => new(new FolderSourceHarness());
}
