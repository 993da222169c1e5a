using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.RabbitMq;

public sealed class RabbitMqSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => ValueTask.FromResult<SourceHarness>(new FakeRabbitMqHarness());
}

public sealed class RabbitMqClassicSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => ValueTask.FromResult<SourceHarness>(new FakeRabbitMqHarness(type: "classic"));
}
