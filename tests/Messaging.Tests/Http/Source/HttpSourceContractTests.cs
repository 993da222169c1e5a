using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Http.Source;

public sealed class HttpSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => HttpSourceHarness.CreateAsync();
}
