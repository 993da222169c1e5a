using Messaging.Testing;
using Messaging.Testing.Xunit;
using Pipeline.Settlements;
using Xunit;

namespace Samples.Tests;

/// <summary>Runs the contract tests of the packages' own sources against a third-party source.</summary>
public sealed class RabbitMqSourceTests : MessageSourceContractTests
{
    [Fact]
    public async Task Receive_CountOfDeliveriesIsNoNumber_IsNotUsed()
    {
        // Anyone who may publish may set it.
        await using RabbitMqHarness harness = await RabbitMqHarness.CreateAsync();
        harness.Headers = new Dictionary<string, object?> { ["x-delivery-count"] = "many" };
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray());

        Delivery delivery = await harness.Intake.NextAsync();

        Assert.Equal(1, delivery.Count);
        await delivery.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    protected override async ValueTask<SourceHarness> CreateAsync() => await RabbitMqHarness.CreateAsync();
}
