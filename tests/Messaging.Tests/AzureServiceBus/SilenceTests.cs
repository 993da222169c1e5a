using Quayside.Messaging.AzureServiceBus;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.AzureServiceBus;

/// <summary>
/// A broker that no longer answers, as behind a firewall that drops the packets of a connection: receives end without a message, by the client's clock.
/// </summary>
[Collection(OneThreadCollection.Name)]
public sealed class SilenceTests
{
    private const int ReceiveFailed = 3301;
    private const int ReceiveRecovered = 3303;

    private static readonly TimeSpan Step = TimeSpan.FromSeconds(1);
    private static readonly byte[] Body = "{\"n\":1}"u8.ToArray();

    [Fact]
    public async Task Broker_FallsSilent_IsAProblemWithinAMinuteAndUntilItAnswers()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 4);
        TaskCompletionSource silence = new(TaskCreationOptions.RunContinuationsAsynchronously);
        harness.Bus.Gate = silence.Task;

        DateTimeOffset began = harness.Time.GetUtcNow();
        await harness.Time.PassUntilAsync(Step, () => EndsReceives(harness) && harness.Source.Problem is not null);

        (harness.Time.GetUtcNow() - began).ShouldBeLessThanOrEqualTo(TimeSpan.FromMinutes(1));
        harness.Source.Problem.ShouldNotBeNull().ShouldStartWith("Service Bus has not answered for ");
        harness.Source.Problem.ShouldContain("firewalls");
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == ReceiveFailed && entry.Text.Contains("has not answered for", StringComparison.Ordinal));
        for (int minutes = 0; minutes < 5; minutes++)
        {
            await harness.Time.PassAsync(TimeSpan.FromMinutes(1));
            EndsReceives(harness);
            harness.Source.Problem.ShouldNotBeNull("Empty receives are no answers.");
        }

        harness.Bus.Gate = null;
        silence.SetResult();
        await harness.Time.PassUntilAsync(Step, () => harness.Source.Problem is null && harness.Log.Entries.Any(entry => entry.Id.Id == ReceiveRecovered));
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Queue_IsEmpty_IsPeekedAtOncePerMinuteAtMostTwice()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 4);
        int before = harness.Bus.Peeks;

        for (int second = 0; second < 600; second++)
        {
            await harness.Time.PassAsync(Step);
        }

        (harness.Bus.Peeks - before).ShouldBeInRange(10, 14);
        harness.Source.Problem.ShouldBeNull();
        harness.Log.Entries.ShouldBeEmpty();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Queue_BringsMessages_IsNotPeekedAt()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 4);
        int before = harness.Bus.Peeks;

        for (int number = 0; number < 20; number++)
        {
            await (await harness.ReceiveAsync(Body, $"m{number}")).SettleAsync(Settlement.Complete);
            await harness.Time.PassAsync(TimeSpan.FromSeconds(30));
        }

        harness.Bus.Peeks.ShouldBe(before);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Broker_RefusesThePeek_HasAnswered()
    {
        // Receiving reports a refusal itself; that of a peek says only that the broker is there.
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 4);
        harness.Bus.CheckFault = BusFaults.Of(ServiceBusFaultKind.Unauthorized, "no");
        int before = harness.Bus.Peeks;

        await harness.Time.PassUntilAsync(Step, () => harness.Bus.Peeks > before + 1);

        harness.Source.Problem.ShouldBeNull();
        harness.Bus.CheckFault = null;
        await harness.FinishAsync();
    }

    private static bool EndsReceives(ServiceBusSourceHarness harness)
    {
        harness.Bus.EndReceives();
        return true;
    }
}
