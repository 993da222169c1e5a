using Messaging.Testing;
using Pipeline.Settlements;
using Xunit;

namespace Samples.Tests;

/// <summary>The count of deliveries is a header, which anyone who may publish may set.</summary>
public sealed class RabbitMqDeliveryCountTests
{
    [Fact]
    public async Task Receive_CountOfDeliveriesIsNoNumber_IsNotUsed()
    {
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
}
