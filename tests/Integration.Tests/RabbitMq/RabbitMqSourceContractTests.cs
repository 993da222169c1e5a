using Integration.Tests.Servers;
using Quayside.Messaging.Testing.Xunit;

namespace Integration.Tests.RabbitMq;

public sealed class RabbitMqSourceContractTests(RabbitMqServer server) : MessageSourceContractTests
{
    protected override async ValueTask<SourceHarness> CreateAsync() => await RabbitMqSourceHarness.CreateAsync(server.Require());
}
