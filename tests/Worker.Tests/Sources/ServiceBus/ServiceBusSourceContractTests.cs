using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.ServiceBus;

public sealed class ServiceBusSourceContractTests : MessageSourceContract
{
    private protected override ValueTask<SourceHarness> CreateAsync() => ValueTask.FromResult<SourceHarness>(new ServiceBusSourceHarness());
}
