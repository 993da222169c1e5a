using Messaging.Testing.Xunit;

namespace Worker.Tests.Sources.ServiceBus;

public sealed class ServiceBusSourceContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => ValueTask.FromResult<SourceHarness>(new ServiceBusSourceHarness());
}
