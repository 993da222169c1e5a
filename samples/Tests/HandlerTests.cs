using Quayside.Messaging.Testing;
using Quayside.Messaging.Testing.Xunit;

namespace Samples.Tests;

public sealed class StoreOrderTests : HandlerContractTests
{
    protected override async ValueTask<HandlerHarness> CreateAsync() => new OrdersHarness(await Servers.OpenPostgresAsync());
}

public sealed class InsertClicksTests : HandlerContractTests
{
    protected override async ValueTask<HandlerHarness> CreateAsync() => new ClicksHarness(await Servers.OpenPostgresAsync());
}
