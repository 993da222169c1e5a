using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.AzureServiceBus;

public sealed class ServiceBusSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => ValueTask.FromResult<SourceHarness>(new ServiceBusSourceHarness());
}
