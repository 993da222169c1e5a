using Quayside.Messaging.Testing.Xunit;

namespace Worker.Tests.Http.Source;

public sealed class HttpSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => HttpSourceHarness.CreateAsync();
}
