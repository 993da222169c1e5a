using Integration.Tests.Servers;
using Quayside.Messaging.Testing.Xunit;

namespace Integration.Tests.AzureServiceBus;

/// <summary>The contract of sources over a queue that requires sessions, each message in a session of its own.</summary>
public sealed class ServiceBusSessionContractTests(ServiceBusServer server) : MessageSourceContractTests
{
    protected override async ValueTask<SourceHarness> CreateAsync() =>
        await ServiceBusSourceHarness.CreateWithSessionsAsync(await server.RequireEmulatorAsync());
}
