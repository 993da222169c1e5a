using System.Net.Sockets;
using Messaging.Tests.Sources;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs;

namespace Messaging.Tests.Aws.Sqs;

[Collection(OneThreadCollection.Name)]
public sealed class ReceiveTests
{
    private const int ReceiveFailed = 3206;
    private const int NearInFlightLimit = 3211;
    private const int ReceiveRefused = 3207;
    private const int ReceiveRecovered = 3208;
    private const int Unusable = 3213;

    private static readonly TimeSpan Cap = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public async Task Receive_AsksForReservedSlotsAndTheConfiguredTimes()
    {
        await using SqsRun run = SqsRun.Create();
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.Many(3));

        QueueCall call = run.Queue.Receives[0];
        call.Text("QueueUrl").ShouldEndWith("/orders");
        call.Json.GetProperty("MaxNumberOfMessages").GetInt32().ShouldBe(10);
        call.Json.GetProperty("WaitTimeSeconds").GetInt32().ShouldBe(20);
        call.Json.GetProperty("VisibilityTimeout").GetInt32().ShouldBe(30);
        await CompleteAsync(deliveries);
        await run.EndAsync();
    }

    [Theory]
    [InlineData("InternalError")]
    [InlineData("ServiceUnavailable")]
    [InlineData("Throttled")]
    [InlineData("lost")]
    [InlineData("malformed")]
    [InlineData("AskedForAnHour")]
    public async Task Receive_Fails_BacksOffWithoutAHotLoopAndRecovers(string failure)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation != "ReceiveMessage" ? null : failure switch
        {
            "InternalError" => QueueAnswer.InternalError,
            "ServiceUnavailable" => QueueAnswer.Error(503, "ServiceUnavailable"),
            "Throttled" => QueueAnswer.Error(400, "RequestThrottled"),
            "lost" => QueueAnswer.Lost,
            "malformed" => new QueueAnswer(200, "{\"Messages\":[1"),
            _ => QueueAnswer.Error(503, "ServiceUnavailable") with { RetryAfter = "3600" },
        };
        await run.BeginAsync();

        List<TimeSpan> waits = await PassInSecondsAsync(run, seconds: 600);

        waits.Count.ShouldBeInRange(18, 150, "Full jitter below 30 s: a call every 15 s on average, or every 30 s where the service asks for more.");
        waits.ShouldAllBe(wait => wait <= Cap + Second);
        run.Source.Problem.ShouldNotBeNull().ShouldStartWith("ReceiveMessage failed");
        run.HasLogged(ReceiveFailed).ShouldBeTrue();

        run.Queue.Script = _ => null;
        FakeMessage message = FakeMessage.New("a");
        run.Queue.Deliver(message);
        await run.PassUntilAsync(() => run.Intake.Accepted == 1, "Receiving did not begin again.");
        run.Source.Problem.ShouldBeNull();
        run.HasLogged(ReceiveRecovered).ShouldBeTrue();
        await CompleteAsync(await run.TakeAsync(1));
        await run.EndAsync();
    }

    [Theory]
    [InlineData(403, "AccessDenied")]
    [InlineData(400, "QueueDoesNotExist")]
    [InlineData(403, "ExpiredToken")]
    public async Task Receive_IsRefused_RetriesEveryThirtySecondsAndNamesThePermission(int status, string code)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "ReceiveMessage" ? QueueAnswer.Error(status, code) : null;
        await run.BeginAsync();

        List<TimeSpan> waits = await PassInSecondsAsync(run, seconds: 300);

        waits.Count.ShouldBeInRange(9, 11);
        run.Log.Entries.First(entry => entry.Id.Id == ReceiveRefused).Text.ShouldContain("sqs:ReceiveMessage");
        run.Source.Problem.ShouldNotBeNull().ShouldContain(code);

        run.Queue.Script = _ => null;
        run.Queue.Deliver(FakeMessage.New("a"));
        await run.PassUntilAsync(() => run.Intake.Accepted == 1, "Receiving did not begin again.");
        run.Source.Problem.ShouldBeNull();
        await CompleteAsync(await run.TakeAsync(1));
        await run.EndAsync();
    }

    [Theory]
    [InlineData("KmsAccessDenied")]
    [InlineData("KmsDisabled")]
    public async Task Receive_KeyCannotBeUsed_NamesThePermissionOfTheKey(string code)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "ReceiveMessage" ? QueueAnswer.Error(400, code) : null;
        await run.BeginAsync();

        await run.PassUntilAsync(() => run.HasLogged(ReceiveRefused), "The refusal was not logged.");

        string text = run.Log.Entries.First(entry => entry.Id.Id == ReceiveRefused).Text;
        text.ShouldContain("kms:Decrypt");
        text.ShouldNotContain("sqs:ReceiveMessage");
        text.ShouldNotContain("kms:GenerateDataKey");
        run.Source.Problem.ShouldNotBeNull().ShouldContain("kms:Decrypt");
        run.Queue.Script = _ => null;
        await run.EndAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Start_QueueUnreachable_BacksOffWithoutAHotLoop(bool refused)
    {
        // A real port and a real name server answer when the machine's network lets them.
        using SocketsHttpHandler handler = AwsHttpHandler.Create();
        handler.ConnectCallback = (_, _) => throw new SocketException((int)(refused ? SocketError.ConnectionRefused : SocketError.HostNotFound));
        await using SqsRun run = SqsRun.Create(handler: handler);
        await run.BeginAsync();

        await PassInSecondsAsync(run, seconds: 120);

        run.Source.Problem.ShouldNotBeNull().ShouldContain("ConnectionError");
        int lines = run.Log.Entries.Count(entry => entry.Id.Id == ReceiveFailed);
        lines.ShouldBeInRange(3, 40, "Neither silence nor a flood.");
        await run.EndAsync();
    }

    [Fact]
    public async Task Receive_FailsInManyLoops_LogsOneLineInFiveSeconds()
    {
        await using SqsRun run = SqsRun.Create(concurrency: 60);
        run.Queue.Script = call => call.Operation == "ReceiveMessage" ? QueueAnswer.InternalError : null;
        await run.BeginAsync();

        await run.PassAsync(TimeSpan.FromSeconds(30));

        run.Queue.Receives.Count.ShouldBeGreaterThan(12);
        run.Log.Entries.Count(entry => entry.Id.Id == ReceiveFailed).ShouldBeInRange(1, 7);
        await run.EndAsync();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(20)]
    public async Task Receive_EmptyAnswersImmediately_AreNoHotLoop(int waitSeconds)
    {
        await using SqsRun run = SqsRun.Create(options: new SqsSourceOptions
        {
            Queue = "orders",
            AcknowledgeDelay = TimeSpan.Zero,
            VisibilityTimeout = TimeSpan.FromSeconds(30),
            WaitTime = TimeSpan.FromSeconds(waitSeconds),
        });
        run.Queue.AnswersEmptyImmediately = true;
        await run.BeginAsync();
        DateTimeOffset begun = run.Time.GetUtcNow();

        await run.PassUntilAsync(() => run.Queue.Receives.Count >= 20, "It receives no more.");

        (run.Time.GetUtcNow() - begun).ShouldBeGreaterThan(TimeSpan.FromSeconds(9), "At most two calls per second.");
        run.Source.Problem.ShouldBeNull();
        await run.EndAsync();
    }

    /// <summary>`explain` counts the polls that fit into the slots.</summary>
    [Fact]
    public async Task Receive_EmptyAnswersImmediately_APauseKeepsTheSlotsFromTheOtherLoops()
    {
        await using SqsRun run = SqsRun.Create(concurrency: 100, slots: 20);
        run.Queue.AnswersEmptyImmediately = true;
        await run.BeginAsync();

        await run.PassAsync(TimeSpan.FromSeconds(10));

        run.Queue.Receives.Count.ShouldBeInRange(10, 44, "Ten loops share 20 slots: two calls each half second.");
        await run.EndAsync();
    }

    [Fact]
    public async Task Receive_MessagesAreSettledBeforeTheNextCall_DoesNotCountAsAnEmptyAnswer()
    {
        await using SqsRun run = SqsRun.Create();
        await run.Source.CheckAsync(CancellationToken.None);
        CompletingIntake intake = new();
        using CancellationTokenSource stop = new();
        run.Queue.DeliverAll(FakeMessage.Many(100));

        Task receiving = run.Source.ReceiveAsync(intake, stop.Token);

        // The source's clock stands still, so a pause would never end.
        await SqsRun.WaitAsync(() => intake.Completed == 100, "The loop paused between receives although it received messages.");
        await stop.CancelAsync();
        await run.PassWhileAsync(receiving);
        await run.PassWhileAsync(run.Source.CloseAsync(CancellationToken.None));
        run.Queue.Deletes.SelectMany(call => call.Handles).Distinct().Count().ShouldBe(100);
        run.OutstandingBuffers.ShouldBe(0);
    }

    [Fact]
    public async Task Receive_OneLoopBreaks_AllEndSoThatTheRouteSeesIt()
    {
        await using SqsRun run = SqsRun.Create(concurrency: 30);
        run.Queue.AnswersEmptyImmediately = true;
        await run.Source.CheckAsync(CancellationToken.None);
        using CancellationTokenSource stop = new();

        Task receiving = run.Source.ReceiveAsync(new BreakingIntake(), stop.Token);
        await run.PassWhileAsync(receiving.ContinueWith(_ => { }, TaskScheduler.Default));

        receiving.IsFaulted.ShouldBeTrue();
        await Should.ThrowAsync<NotSupportedException>(receiving);
    }

    [Fact]
    public async Task CountDeadLetters_IsOfTheDeadLetterQueue_WhateverItsMessagesDo()
    {
        await using SqsRun run = SqsRun.Create();
        (await run.Source.CountDeadLettersAsync(CancellationToken.None)).ShouldBeNull();
        await run.Source.CheckAsync(CancellationToken.None);
        run.Queue.Attributes["ApproximateNumberOfMessages"] = "12";
        run.Queue.Attributes["ApproximateNumberOfMessagesNotVisible"] = "3";
        run.Queue.Attributes["ApproximateNumberOfMessagesDelayed"] = "1";

        (await run.Source.CountDeadLettersAsync(CancellationToken.None)).ShouldBe(16);

        QueueCall call = run.Queue.Calls.Last();
        (call.Operation, call.Text("QueueUrl")[^5..]).ShouldBe(("GetQueueAttributes", "/dead"));
    }

    [Fact]
    public async Task Receive_EntryWithoutAHandle_IsSkippedAndLogged()
    {
        await using SqsRun run = SqsRun.Create();
        await run.BeginAsync();

        run.Queue.Deliver(FakeMessage.New("a") with { Handle = string.Empty }, FakeMessage.New("b"));

        Delivery[] usable = await run.TakeAsync(1);
        usable[0].Body.ShouldBe("\"b\""u8.ToArray());
        run.HasLogged(Unusable).ShouldBeTrue();
        await CompleteAsync(usable);
        await run.EndAsync();
    }

    /// <summary>Moves the time second by second, each time when everything is at rest.</summary>
    /// <returns>The times between receives by the source's clock.</returns>
    private static async Task<List<TimeSpan>> PassInSecondsAsync(SqsRun run, int seconds)
    {
        List<TimeSpan> waits = [];
        int calls = run.Queue.Receives.Count;
        DateTimeOffset last = run.Time.GetUtcNow();
        for (int second = 0; second < seconds; second++)
        {
            await run.Time.PassAsync(Second);
            int now = run.Queue.Receives.Count;
            (now - calls).ShouldBeLessThanOrEqualTo(8, "Calls of one second.");
            for (; calls < now; calls++)
            {
                waits.Add(run.Time.GetUtcNow() - last);
                last = run.Time.GetUtcNow();
            }
        }

        return waits;
    }

    private static async Task CompleteAsync(IEnumerable<Delivery> deliveries)
    {
        foreach (Delivery delivery in deliveries)
        {
            await delivery.SettleAsync(Quayside.Pipeline.Settlements.Settlement.Complete);
        }
    }

    [Fact]
    public async Task Receive_ManyEmptyAnswersNearTheInFlightLimit_Warns()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.AnswersEmptyImmediately = true;
        run.Queue.Attributes["ApproximateNumberOfMessagesNotVisible"] = "119000";
        await run.BeginAsync();

        await run.PassUntilAsync(() => run.HasLogged(NearInFlightLimit), "An empty answer near the limit was accepted.");

        await run.EndAsync();
    }

    [Fact]
    public async Task Receive_CheckOfTheInFlightLimitFails_IsNoProblem()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.AnswersEmptyImmediately = true;
        await run.BeginAsync();
        run.Queue.Script = call => call.Operation == "GetQueueAttributes" ? QueueAnswer.Error(403, "AccessDenied") : null;

        await run.PassUntilAsync(() => run.Queue.Calls.Count(call => call.Operation == "GetQueueAttributes") == 2, "The queue was not looked at.");
        int receives = run.Queue.Receives.Count;
        await run.PassUntilAsync(() => run.Queue.Receives.Count > receives + 2, "Receiving stopped.");

        run.Source.Problem.ShouldBeNull();
        run.HasLogged(ReceiveRefused).ShouldBeFalse();
        await run.EndAsync();
    }
}
