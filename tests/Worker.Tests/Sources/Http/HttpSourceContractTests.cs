using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.Http;

public sealed class HttpSourceContractTests : MessageSourceContract
{
    private protected override ValueTask<SourceHarness> CreateAsync() => HttpSourceHarness.CreateAsync();
}
