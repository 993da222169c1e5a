using System.Collections.Concurrent;
using System.Text;
using Integration.Tests.Faults;
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

    [Fact]
    public async Task Fifo_GroupsThatFailSometimes_EachGroupIsCompletedInOrder()
    {
        const int Groups = 6;
        const int Messages = 20;
        await using SqsSourceHarness harness = await SqsSourceHarness.CreateAsync(await aws.RequireAsync(), isFifo: true);
        for (int n = 0; n < Messages; n++)
        {
            for (int group = 0; group < Groups; group++)
            {
                await harness.Queue.SendAsync($"{group}-{n}", $"group-{group}");
            }
        }

        ConcurrentDictionary<string, ConcurrentQueue<int>> finished = new(StringComparer.Ordinal);
        ConcurrentDictionary<string, int> attempts = new(StringComparer.Ordinal);
        harness.Intake.Script = delivery =>
        {
            string body = Encoding.UTF8.GetString(delivery.Body);
            string[] parts = body.Split('-');
            if (attempts.AddOrUpdate(body, 1, (_, count) => count + 1) == 1 && int.Parse(parts[1]) % 5 == 2)
            {
                return Settlement.Abandon(TimeSpan.Zero, "The first time.");
            }

            finished.GetOrAdd(parts[0], _ => new ConcurrentQueue<int>()).Enqueue(int.Parse(parts[1]));
            return int.Parse(parts[1]) == 13 ? Settlement.DeadLetter("unlucky", "The thirteenth.") : Settlement.Complete;
        };
        await harness.StartAsync();

        await harness.WaitUntilEmptyAsync();

        finished.Count.ShouldBe(Groups);
        finished.Values.ShouldAllBe(group => group.SequenceEqual(Enumerable.Range(0, Messages)));
        (await harness.DeadLettersAsync(Groups)).Select(letter => Encoding.UTF8.GetString(letter.Body))
            .ShouldBe(Enumerable.Range(0, Groups).Select(group => $"{group}-13"), ignoreOrder: true);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Faults_OnTheWayToTheQueue_NothingIsLost()
    {
        const int Messages = 600;
        AwsEndpoint endpoint = await aws.RequireAsync();
        await using TcpFaultProxy proxy = new(endpoint.ServiceUrl);
        await using SqsSourceHarness harness = await SqsSourceHarness.CreateAsync(endpoint, visibility: ShortVisibility, address: proxy.Url);
        ConcurrentDictionary<string, int> completed = new(StringComparer.Ordinal);
        harness.Intake.Script = delivery =>
        {
            completed.AddOrUpdate(Encoding.UTF8.GetString(delivery.Body), 1, (_, count) => count + 1);
            return Settlement.Complete;
        };
        await harness.StartAsync();

        // Receives and deletes share the proxy, so each fault strikes some of both.
        TcpFault[] faults = [new TcpFault.DropAnswer(), new TcpFault.Refuse(), new TcpFault.ResetAfter(700), new TcpFault.Hang(), new TcpFault.DropAnswer(), new TcpFault.ResetAfter(100)];
        foreach (TcpFault fault in faults)
        {
            await harness.Queue.SendAllAsync(Enumerable.Range(0, Messages / faults.Length).Select(number => $"{fault.GetType().Name}-{number}-{Guid.NewGuid()}"));
            proxy.Set(fault);
            await Task.Delay(fault is TcpFault.Hang ? Longer : Moment);
            proxy.Clear();
            await Task.Delay(300);
        }

        await harness.WaitUntilEmptyAsync();

        proxy.Strikes.ShouldBeGreaterThan(faults.Length);
        completed.Count.ShouldBe(Messages);
        completed.Values.ShouldAllBe(times => times == 1, "A redelivered message that was completed is deleted, not stored again.");
        (await harness.DeadLettersAsync(expected: 0)).ShouldBeEmpty();
        harness.Source.Problem.ShouldBeNull();
        await harness.FinishAsync();
    }
}
