using Integration.Tests.Servers;
using Quayside.Messaging.Testing.Xunit;

namespace Integration.Tests.AzureServiceBus;

public sealed class ServiceBusSourceContractTests(ServiceBusServer server) : MessageSourceContractTests
{
    protected override async ValueTask<SourceHarness> CreateAsync() => await ServiceBusSourceHarness.CreateAsync(server);
}
