using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using Azure.Messaging.ServiceBus;
using Integration.Tests.Servers;
using Integration.Tests.Worker;
using Quayside.Pipeline.Settlements;

namespace Integration.Tests.AzureServiceBus;

/// <summary>Sessions: the order within one, several at the same time, and what ends them.</summary>
public sealed class ServiceBusSessionTests
{
    [Fact]
    public async Task Receive_SessionsWithFailures_KeepsTheOrderOfEach()
    {
        const int Sessions = 20;
        const int PerSession = 15;
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.CreateWithSessionsAsync(emulator);
        for (int number = 0; number < PerSession; number++)
        {
            await harness.Queue.SendAsync([.. Enumerable.Range(0, Sessions).Select(session => InSession($"session-{session}", number))]);
        }

        ConcurrentDictionary<string, ConcurrentQueue<string>> completed = new(StringComparer.Ordinal);
        harness.Intake.Script = delivery =>
        {
            string[] body = Encoding.UTF8.GetString(delivery.Body).Split('/');
            if (delivery.Count == 1 && int.Parse(body[1], CultureInfo.InvariantCulture) % 4 == 1)
            {
                return Settlement.Abandon(TimeSpan.Zero);
            }

            completed.GetOrAdd(body[0], _ => new ConcurrentQueue<string>()).Enqueue(body[1]);
            return Settlement.Complete;
        };
        await harness.StartAsync();
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();

        completed.Count.ShouldBe(Sessions);
        completed.Values.ShouldAllBe(numbers => numbers.SequenceEqual(Enumerable.Range(0, PerSession).Select(number => $"{number}")));
    }

    [Fact]
    public async Task Receive_MessageIsInFlight_TheNextOfItsSessionWaitsAndThatOfAnotherDoesNot()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.CreateWithSessionsAsync(emulator);
        await harness.Queue.SendAsync(InSession("a", 0), InSession("a", 1), InSession("b", 0));
        await harness.StartAsync();
        Delivery first = await harness.Intake.NextAsync();
        Delivery second = await harness.Intake.NextAsync();

        // A message that comes later shows that the broker delivers.
        await harness.Queue.SendAsync(InSession("c", 0));
        Delivery third = await harness.Intake.NextAsync();

        new[] { first, second, third }.Select(delivery => Encoding.UTF8.GetString(delivery.Body)).ShouldBe(["a/0", "b/0", "c/0"], ignoreOrder: true);
        await first.SettleAsync(Settlement.Complete);
        await second.SettleAsync(Settlement.Complete);
        await third.SettleAsync(Settlement.Complete);
        Delivery last = await harness.Intake.NextAsync();
        Encoding.UTF8.GetString(last.Body).ShouldBe("a/1");
        await last.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Receive_LongerThanTheLock_TheSessionIsRenewed()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.CreateWithSessionsAsync(emulator, lockDuration: "PT5S");
        await harness.Queue.SendAsync(InSession("a", 0));
        await harness.StartAsync();
        Delivery delivery = await harness.Intake.NextAsync();

        long end = await LockedUntilAsync();
        await Eventually.BecomesTrueAsync(async () => await LockedUntilAsync() > end + 5_000, "the session is locked for longer than one lock lasts");
        await delivery.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();

        ((int)(await emulator.DescribeAsync(harness.Queue.Name))["settled"]!["lockLost"]!).ShouldBe(0);

        async Task<long> LockedUntilAsync() =>
            (long)(await emulator.DescribeAsync(harness.Queue.Name))["sessions"]!.AsArray().ShouldHaveSingleItem()!["lockedUntil"]!;
    }

    [Fact]
    public async Task Receive_SessionIsLost_ItsMessageIsDeliveredAgainAndHandledOnce()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        // A client that is cut off while it accepts a session may keep its lock without knowing it: then the session waits for the lock's end.
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.CreateWithSessionsAsync(emulator, lockDuration: "PT10S");
        await harness.Queue.SendAsync(InSession("a", 0), InSession("a", 1));
        await harness.StartAsync();
        Delivery first = await harness.Intake.NextAsync();

        await emulator.CutAsync();
        await Eventually.BecomesTrueAsync(async () => (int)(await emulator.DescribeAsync(harness.Queue.Name))["locked"]! > 0, "the message is delivered again");
        await first.SettleAsync(Settlement.Complete);
        Delivery second = await harness.Intake.NextAsync();
        await second.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();

        Encoding.UTF8.GetString(second.Body).ShouldBe("a/1");
        harness.Intake.Accepted.ShouldBe(2);
    }

    [Fact]
    public async Task Terminate_WhileReceiving_LeavesNoSessionLocked()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, new { RequiresSession = true });
        string[] arguments = [.. queue.Arguments, "--Sources:ServiceBus:Sessions=true"];
        await using DirectoryUnderTest sink = new();

        WorkerCommand publish = await WorkerCommand.RunAsync(
            ["publish", "--to", "servicebus", "--count", "600", "--group", "x", "--group", "y", "--group", "z", .. arguments], queue.Environment);
        publish.ExitCode.ShouldBe(0, publish.Text);
        await using (RunningWorker first = await RunningWorker.StartAsync([.. arguments, .. sink.Arguments], queue.Environment))
        {
            await Eventually.BecomesTrueAsync(async () => (await sink.ReadAllAsync()).Count >= 20, "20 objects are stored");
            (await first.StopAsync()).ShouldBe(0);
        }

        ((int)(await emulator.DescribeAsync(queue.Name))["locked"]!).ShouldBe(0);
        await using RunningWorker second = await RunningWorker.StartAsync([.. arguments, .. sink.Arguments], queue.Environment);
        await queue.WaitUntilEmptyAsync();

        (await second.StopAsync()).ShouldBe(0);
        (await sink.ReadAllAsync()).Count.ShouldBe(600);
    }

    private static ServiceBusMessage InSession(string session, int number) => new($"{session}/{number}") { SessionId = session };
}
