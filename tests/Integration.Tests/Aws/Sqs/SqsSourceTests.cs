using System.Text;
using Integration.Tests.Servers;
using Integration.Tests.Worker;
using Pipeline.Settlements;

namespace Integration.Tests.Aws.Sqs;

public sealed class SqsSourceTests(AwsServer aws)
{
    private static readonly TimeSpan ShortVisibility = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(700);

    // Longer than the timeout of a call.
    private static readonly TimeSpan Longer = TimeSpan.FromSeconds(3);

    [Fact]
    public async Task Hold_LongerThanTheVisibilityTimeout_MessageStaysHiddenAndIsDeletedOnce()
    {
        await using SqsSourceHarness harness = await SqsSourceHarness.CreateAsync(await aws.RequireAsync(), visibility: ShortVisibility);
        await harness.StartAsync();
        for (int i = 0; i < 12; i++)
        {
            await harness.PublishAsync(Encoding.UTF8.GetBytes($"{{\"n\":{i}}}"));
        }

        List<Delivery> held = [];
        for (int i = 0; i < 12; i++)
        {
            held.Add(await harness.Intake.NextAsync());
        }

        await Task.Delay(ShortVisibility * 3);

        // On a busy machine a renewal may be late, and its message visible for a moment.
        (await harness.Queue.CountAsync()).Total.ShouldBe(12);
        foreach (Delivery delivery in held)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await harness.WaitUntilEmptyAsync();
        harness.Intake.Accepted.ShouldBe(12);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Hold_NoLongerRenewed_RedeliveryIsNotHandledTwiceAndItsHandleDeletes()
    {
        await using SqsSourceHarness harness = await SqsSourceHarness.CreateAsync(await aws.RequireAsync(), visibility: TimeSpan.FromSeconds(2), maxHold: TimeSpan.FromSeconds(1));
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray());
        Delivery delivery = await harness.Intake.NextAsync();

        // fauxqs ignores the delete of an outdated handle, as SQS does.
        string[] first = await harness.Queue.HandlesInFlightAsync();
        await Eventually.BecomesTrueAsync(async () => (await harness.Queue.HandlesInFlightAsync()).Except(first).Any(), "the queue redelivers the message");
        await delivery.SettleAsync(Settlement.Complete);

        await harness.WaitUntilEmptyAsync();
        harness.Intake.Accepted.ShouldBe(1);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Stop_MessagesWaitInTheQueue_NoneIsLeftHidden()
    {
        await using SqsSourceHarness harness = await SqsSourceHarness.CreateAsync(await aws.RequireAsync());
        await harness.StartAsync();
        await harness.Queue.SendAllAsync(Enumerable.Range(0, 500).Select(number => $"{{\"n\":{number}}}"));
        List<Delivery> held = [];

        // All slots: a receive that is cut off by the stop could leave messages hidden.
        for (int i = 0; i < 60; i++)
        {
            held.Add(await harness.Intake.NextAsync());
        }

        await harness.StopReceivingAsync();
        foreach ((int index, Delivery delivery) in held.Index())
        {
            await delivery.SettleAsync(index < 20 ? Settlement.Complete : Settlement.Abandon(TimeSpan.Zero));
        }

        await harness.FinishAsync();
        (await harness.Queue.CountAsync()).ShouldBe(new SqsCounts(Visible: 480, InFlight: 0, Delayed: 0));
    }
}
