using Integration.Tests.Faults.S3;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>The store is down for longer than the queue's redrive policy would wait (fault table, row 16).</summary>
public sealed class OutageTests(AwsServer aws, RealS3 realS3)
{
    // If each failed attempt cost a delivery, the fourth would move the message to the dead-letter queue.
    private const int MaxReceiveCount = 3;
    private const int AttemptsPerMessage = 5;

    private static readonly string[] QuickBreaker =
    [
        "--Recoverability:BreakerFailures=5",
        "--Recoverability:BreakerOpen=100ms",
        "--Recoverability:BackoffCap=200ms",
        "--Sinks:S3:MaxAttempts=1",
    ];

    [Fact]
    public async Task StoreDown_FifoQueue_NoMessageIsDeadLetteredAndGroupsKeepTheirOrder()
    {
        await using FauxqsServer server = await FauxqsServer.RequireOwnAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(server.Endpoint, isFifo: true);
        using SqsQueue queue = await SqsQueue.CreateAsync(server.Endpoint, isFifo: true, deadLetters: deadLetters, maxReceiveCount: MaxReceiveCount);
        await using FaultyS3UnderTest sink = await CreateDownAsync();
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("outage", 9);
        for (int number = 0; number < messages.Length; number++)
        {
            await queue.SendAsync(messages[number].Text, group: $"{number % 3}");
        }

        await using RunningWorker worker = await RunningWorker.StartAsync([.. RunningWorker.SqsArguments(server.Endpoint, queue), .. sink.Arguments, .. QuickBreaker]);
        await Eventually.BecomesTrueAsync(() => sink.Puts >= 3 * AttemptsPerMessage, "the messages at the head of the groups are retried repeatedly");
        sink.Server.Script = FaultScript.Empty;
        await queue.WaitForCountAsync(counts => counts.Total == 0);

        (await deadLetters.CountAsync()).Total.ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(messages);
        string[] stored = [.. sink.Server.History.Of().Where(put => put.Committed).Select(put => put.Key)];
        for (int group = 0; group < 3; group++)
        {
            string[] inOrder = [.. messages.Where((_, number) => number % 3 == group).Select(message => message.Key)];
            stored.Intersect(inOrder, StringComparer.Ordinal).ShouldBe(inOrder);
        }

        (await worker.StopAsync()).ShouldBe(0);
    }

    [Fact]
    public async Task Terminate_StoreDown_ReturnsEachMessageAfterItsFirstDelivery()
    {
        await using FauxqsServer server = await FauxqsServer.RequireOwnAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(server.Endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(server.Endpoint, deadLetters: deadLetters, maxReceiveCount: MaxReceiveCount);
        await using FaultyS3UnderTest sink = await CreateDownAsync();
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("returned", 4);
        await queue.SendAllAsync(messages.Select(message => message.Text));
        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. RunningWorker.SqsArguments(server.Endpoint, queue), "--Sources:Sqs:WaitTime=0s", .. sink.Arguments, .. QuickBreaker, "--Hosting:DrainTimeout=5m"]);
        await Eventually.BecomesTrueAsync(() => sink.Puts >= messages.Length * AttemptsPerMessage, "the messages are retried repeatedly");

        // A receive that the stop cuts off would leave its message invisible until the timeout. So would a long poll, so there is none: the
        // emulator would give it a message that is abandoned at that time.
        await Eventually.BecomesTrueAsync(() => sink.Server.History.Of().Select(put => put.Key).Distinct(StringComparer.Ordinal).Count() == messages.Length, "every message has been received");

        (await worker.StopAsync(TimeSpan.FromSeconds(60))).ShouldBe(0);

        (await queue.CountAsync()).ShouldBe(new SqsCounts(Visible: messages.Length, InFlight: 0, Delayed: 0));
        (await queue.ReceiveAsync()).ShouldAllBe(message => message.ReceiveCount == 2);
    }

    private async Task<FaultyS3UnderTest> CreateDownAsync()
    {
        var sink = (FaultyS3UnderTest)await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        sink.Server.Script = FaultScript.Empty.OnEveryPut(S3Fault.InternalError);
        return sink;
    }
}
