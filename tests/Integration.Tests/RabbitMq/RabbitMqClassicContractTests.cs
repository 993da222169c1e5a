using Integration.Tests.Servers;
using Quayside.Messaging.Testing.Xunit;

namespace Integration.Tests.RabbitMq;

/// <summary>Over a classic queue, which counts no deliveries.</summary>
public sealed class RabbitMqClassicContractTests(RabbitMqServer server) : MessageSourceContractTests
{
    protected override async ValueTask<SourceHarness> CreateAsync() => await RabbitMqSourceHarness.CreateAsync(server.Require(), "classic");
}
