using Quayside.Messaging.Testing.Xunit;

namespace Worker.Tests.AzureServiceBus;

public sealed class ServiceBusSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => ValueTask.FromResult<SourceHarness>(new ServiceBusSourceHarness());
}
