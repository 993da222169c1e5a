using Messaging.Testing.Xunit;

namespace Worker.Tests.Sources.Http;

public sealed class HttpSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => HttpSourceHarness.CreateAsync();
}
