using System.Text.Json;
using System.Text.Json.Nodes;
using Messaging.Tests.Planning;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Publishing;

namespace Messaging.Tests.Aws.Sqs.Redrive;

public sealed class SqsRedriveTests
{
    private static readonly RedriveRequest All = new(Reason: null, Max: int.MaxValue, DryRun: false, Url: null, Route: null);

    // After the first receive of a FakeMessage.
    private const long Later = 1_792_000_100_000;
    private const long Earlier = 1_792_000_000_000;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    // Months behind the queue's clock.
    private readonly ManualTimeProvider _time = new();

    /// <summary>How a redriven message becomes a dead letter again.</summary>
    public enum Again
    {
        ByTheWorker,
        WithAPartOfTheDetails,
        ByTheRedrivePolicy,
        WithoutDetails,
        WithoutDetailsAndTime,
    }

    [Fact]
    public async Task Run_DeadLetters_AreSentUnchangedWithTheirAttributesAndThenDeleted()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Deliver(Letter("1") with { Body = "{\"a\":\"\u00e4\"}" }, Letter("2"));

        RedriveResult result = await RunAsync(queue, All);

        ShouldBeComplete(result, found: 2, sent: 2);
        queue.Receives.ShouldAllBe(call => call.Text("QueueUrl").EndsWith("/dead"));
        queue.Sends.ShouldAllBe(call => call.Text("QueueUrl").EndsWith("/orders"));
        queue.Sends[0].Text("MessageBody").ShouldBe("{\"a\":\"\u00e4\"}");
        JsonElement attributes = queue.Sends[0].Json.GetProperty("MessageAttributes");
        attributes.EnumerateObject().Select(attribute => attribute.Name).ShouldBe(["trace", "raw"]);
        queue.Sends[0].Attribute("trace").ShouldBe("t1");
        attributes.GetProperty("raw").GetProperty("BinaryValue").GetString().ShouldBe("AAH/");
        queue.Calls.Select(call => call.Operation).Where(operation => operation is "SendMessage" or "DeleteMessageBatch")
            .ShouldBe(["SendMessage", "DeleteMessageBatch", "SendMessage", "DeleteMessageBatch"]);
        queue.Deletes.ShouldAllBe(call => call.Text("QueueUrl").EndsWith("/dead"));
        queue.VisibilityChanges.ShouldBeEmpty();
    }

    [Fact]
    public async Task Run_AttributesThatAreOnlyInTheDetails_AreSentAsTextsUpToTenInAll()
    {
        await using FakeQueue queue = await StartAsync();
        string more = string.Join(',', Enumerable.Range(1, 12).Select(number => $"\"more{number}\":\"value{number}\""));
        queue.Deliver(Letter("1", details: Details("first", $$"""{"trace":"of the details",{{more}}}""")));

        RedriveResult result = await RunAsync(queue, All);

        ShouldBeComplete(result, found: 1, sent: 1);
        JsonElement attributes = queue.Sends[0].Json.GetProperty("MessageAttributes");
        attributes
            .EnumerateObject()
            .Select(attribute => attribute.Name)
            .ShouldBe(["trace", "raw", .. Enumerable.Range(1, 8).Select(number => $"more{number}")]);
        queue.Sends[0].Attribute("trace").ShouldBe("t1");
        queue.Sends[0].Attribute("more8").ShouldBe("value8");
        attributes.GetProperty("more8").GetProperty("DataType").GetString().ShouldBe("String");
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("whole")]
    public async Task Run_DetailsWithABadValue_SendsTheOtherAttributes(string record)
    {
        await using FakeQueue queue = await StartAsync();
        const string Attributes = """{"first":"1","none":null,"last":"2"}""";
        string details = record == "whole" ? Details("first", Attributes) : $$"""{"attributes":{{Attributes.Replace("null", "3")}}}""";
        queue.Deliver(Letter("1", details: details));

        ShouldBeComplete(await RunAsync(queue, All), found: 1, sent: 1);

        JsonElement attributes = queue.Sends[0].Json.GetProperty("MessageAttributes");
        attributes.EnumerateObject().Select(attribute => attribute.Name).ShouldBe(["trace", "raw", "first", "last"]);
    }

    [Fact]
    public async Task Run_WithAReason_MovesThoseAndReturnsTheOthers()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Deliver(Letter("1", "malformed-json"), Letter("2", "too-large"), Letter("3", reason: null), Letter("4", "malformed-json"));

        RedriveResult result = await RunAsync(queue, All with { Reason = "malformed-json" });

        ShouldBeComplete(result, found: 2, sent: 2);
        queue.Deletes.SelectMany(call => call.Handles).ShouldBe(["handle-1", "handle-4"]);
        QueueCall back = queue.VisibilityChanges.ShouldHaveSingleItem();
        back.Handles.ShouldBe(["handle-2", "handle-3"]);
        back.Seconds.ShouldAllBe(seconds => seconds == 0);
    }

    [Fact]
    public async Task Run_DryRun_SendsAndDeletesNothingAndReturnsAll()
    {
        await using FakeQueue queue = await StartAsync();
        queue.DeliverAll(Enumerable.Range(0, 25).Select(number => Letter($"{number}")));

        RedriveResult result = await RunAsync(queue, All with { DryRun = true });

        ShouldBeComplete(result, found: 25, sent: 0);
        queue.Sends.ShouldBeEmpty();
        queue.Deletes.ShouldBeEmpty();
        queue.VisibilityChanges.SelectMany(call => call.Handles).Distinct().Count().ShouldBe(25, "A redrive right after it must find them.");
    }

    [Fact]
    public async Task Run_WithAMaximum_MovesThatManyAndReturnsTheRest()
    {
        await using FakeQueue queue = await StartAsync();
        queue.DeliverAll(Enumerable.Range(0, 10).Select(number => Letter($"{number}")));

        RedriveResult result = await RunAsync(queue, All with { Max = 4 });

        ShouldBeComplete(result, found: 4, sent: 4);
        queue.Sends.Count.ShouldBe(4);
        queue.VisibilityChanges.SelectMany(call => call.Handles).ShouldBe([.. Enumerable.Range(4, 6).Select(number => $"handle-{number}")]);
    }

    [Fact]
    public async Task Run_QueueRefusesADeadLetter_ItStaysAndTheOthersAreSent()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Script = call => call.Operation == "SendMessage" && call.Attribute("trace") == "t2" ? QueueAnswer.Error(400, "InvalidMessageContents") : null;
        queue.Deliver(Letter("1"), Letter("2"), Letter("3"));

        RedriveResult result = await RunAsync(queue, All);

        (result.Found, result.Sent).ShouldBe((3, 2));
        result.Left.ShouldHaveSingleItem().ShouldContain("InvalidMessageContents");
        queue.Deletes.SelectMany(call => call.Handles).ShouldBe(["handle-1", "handle-3"]);
        queue.VisibilityChanges.ShouldHaveSingleItem().Handles.ShouldBe(["handle-2"]);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Run_DeadLetterCannotBeDeleted_IsTriedThreeTimesReportedAndNotSentTwice(bool wholeCall)
    {
        await using FakeQueue queue = await StartAsync();
        queue.Script = call => call.Operation != "DeleteMessageBatch" ? null
            : wholeCall ? QueueAnswer.InternalError : QueueAnswer.Failing(call, "InternalError", senderFault: false, _ => true);
        FakeMessage letter = Letter("1");
        queue.Deliver(letter);
        queue.Deliver(letter.Again("handle-again"));

        RedriveResult result = await RunAsync(queue, All);

        (result.Found, result.Sent).ShouldBe((1, 0));
        result.Left.ShouldHaveSingleItem().ShouldContain(": sent, but not deleted");
        queue.Sends.Count.ShouldBe(1);
        queue.Deletes.Count.ShouldBe(6, "Three times for each delivery.");
    }

    [Fact]
    public async Task Run_DeleteFailsOnce_IsRetried()
    {
        await using FakeQueue queue = await StartAsync();
        int deletes = 0;
        queue.Script = call => call.Operation == "DeleteMessageBatch" && Interlocked.Increment(ref deletes) == 1 ? QueueAnswer.Lost : null;
        queue.Deliver(Letter("1"));

        RedriveResult result = await RunAsync(queue, All);

        ShouldBeComplete(result, found: 1, sent: 1);
        queue.Deletes.Count.ShouldBe(2);
    }

    [Fact]
    public async Task Run_DeadLettersRedeliveredBetweenNewOnes_AllAreFound()
    {
        await using FakeQueue queue = await StartAsync();
        FakeMessage staying = Letter("staying", "other");
        queue.Deliver(staying);
        queue.Deliver(staying.Again("again"));
        queue.Deliver(staying.Again("and-again"), Letter("1"));
        queue.Deliver(Letter("2"));

        RedriveResult result = await RunAsync(queue, All with { Reason = "malformed-json" });

        ShouldBeComplete(result, found: 2, sent: 2);
    }

    [Fact]
    public async Task Run_SameDeadLettersRedeliveredForEver_Ends()
    {
        await using FakeQueue queue = await StartAsync();
        FakeMessage staying = Letter("staying", "other");
        for (int delivery = 0; delivery < 50; delivery++)
        {
            queue.Deliver(staying.Again($"handle-{delivery}"));
        }

        RedriveResult result = await RunAsync(queue, All with { Reason = "malformed-json" });

        (result.Found, result.Sent, result.LeftCount).ShouldBe((0, 0, 0));
        queue.Receives.Count.ShouldBeLessThan(10);
    }

    [Fact]
    public async Task Run_Fifo_KeepsTheGroupAndGivesANewDeduplicationId()
    {
        await using FakeQueue queue = await StartAsync();
        queue.MakeFifo();
        queue.Deliver(Letter("1") with { Group = "group-7" });

        await RunAsync(queue, All, name: "orders.fifo");

        QueueCall sent = queue.Sends.ShouldHaveSingleItem();
        sent.Text("MessageGroupId").ShouldBe("group-7");
        Guid.TryParse(sent.Text("MessageDeduplicationId"), out _).ShouldBeTrue();
    }

    [Fact]
    public async Task Run_FairQueue_KeepsTheGroup()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Deliver(Letter("1") with { Group = "tenant-1" }, Letter("2", reason: null) with { Group = "tenant-2" }, Letter("3"));

        ShouldBeComplete(await RunAsync(queue, All), found: 3, sent: 3);

        queue.Sends
            .Select(sent => sent.Json.TryGetProperty("MessageGroupId", out JsonElement group) ? group.GetString() : null)
            .ShouldBe(["tenant-1", "tenant-2", null]);
        queue.Sends.Where(sent => sent.Json.TryGetProperty("MessageDeduplicationId", out _)).ShouldBeEmpty("Standard queues refuse one.");
    }

    [Fact]
    public async Task Run_ReceivingIsRefused_SaysWhatToDo()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Script = call => call.Operation == "ReceiveMessage" ? QueueAnswer.Error(403, "AccessDenied") : null;

        StartupException refused = await Should.ThrowAsync<StartupException>(RunAsync(queue, All));

        refused.Message.ShouldContain("AccessDenied");
        refused.Message.ShouldContain("deploy/iam/redrive-policy.json");
    }

    [Fact]
    public async Task Run_ReceivingKeepsFailing_ReportsTheCountsAndMakesTheDeadLettersVisible()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Deliver(Letter("1"), Letter("2", "too-large"));
        int receives = 0;
        queue.Script = call => call.Operation == "ReceiveMessage" && Interlocked.Increment(ref receives) > 1 ? QueueAnswer.InternalError : null;

        RedriveResult result = await FinishAsync(RunAsync(queue, All with { Reason = "malformed-json" }));

        (result.Found, result.Sent).ShouldBe((1, 1));
        result.Ended.ShouldNotBeNull().ShouldContain("InternalError");
        queue.Receives.Count.ShouldBe(6, "A transient error is tried five times.");
        queue.VisibilityChanges.ShouldHaveSingleItem().Handles.ShouldBe(["handle-2"]);
    }

    [Fact]
    public async Task Run_SendingFailsForAll_EndsAfterAFew()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Script = call => call.Operation == "SendMessage" ? QueueAnswer.InternalError : null;
        queue.DeliverAll(Enumerable.Range(0, 30).Select(number => Letter($"{number}")));

        RedriveResult result = await RunAsync(queue, All);

        (result.Sent, result.LeftCount).ShouldBe((0, 5));
        result.Ended.ShouldNotBeNull().ShouldContain("in a row failed");
        queue.Sends.Count.ShouldBe(5);
    }

    /// <summary>A running worker dead-letters each message again: that dead letter is a new message, which the run must not send again.</summary>
    [Theory]
    [InlineData(Again.ByTheWorker)]
    [InlineData(Again.WithAPartOfTheDetails)]
    [InlineData(Again.ByTheRedrivePolicy)]
    public async Task Run_MessagesAreDeadLetteredAgain_SendsEachOnceAndSaysWhichStay(Again again)
    {
        await using FakeQueue queue = await StartAsync(held: 3);
        DeadLetterEachSentMessage(queue, again);
        FakeMessage[] letters = [.. Enumerable.Range(0, 3).Select(number => Letter($"{number}"))];
        queue.DeliverAll(letters);

        RedriveResult result = await RunAsync(queue, All).WaitAsync(Limit);

        (result.Found, result.Sent, result.LeftCount, result.AgainCount).ShouldBe((3, 3, 0, 3));
        queue.Sends.Count.ShouldBe(3);
        result.Again.Select(line => line.Split(": ")[0]).ShouldBe(letters.Select(letter => letter.Id), ignoreOrder: true, "The ids that a dry run lists.");
        result.Again.ShouldAllBe(line => line.Contains(", now "));
        result.IsComplete.ShouldBeFalse();
        queue.VisibilityChanges.SelectMany(call => call.Handles).Count().ShouldBe(3, "The dead letters left are visible when the run ends.");
    }

    [Fact]
    public async Task Run_DeadLetteredAgainWithoutDetails_IsRecognisedByTheQueuesClock()
    {
        ManualTimeProvider ahead = new(new DateTimeOffset(2040, 1, 1, 0, 0, 0, TimeSpan.Zero));
        await using FakeQueue queue = await StartAsync(held: 50);
        DeadLetterEachSentMessage(queue, Again.WithoutDetails);
        queue.DeliverAll(Enumerable.Range(0, 3).Select(number => Letter($"{number}")));

        RedriveResult result = await RunAsync(queue, All, ahead).WaitAsync(Limit);

        (result.Found, result.Sent).ShouldBe((3, 3));
        queue.Sends.Count.ShouldBe(3);
        result.Notes.ShouldHaveSingleItem().ShouldStartWith("3 dead letter(s) arrived while redrive ran");
    }

    [Fact]
    public async Task Run_OldAndNewIndistinguishable_SendsNoMoreThanTheQueueHeld()
    {
        await using FakeQueue queue = await StartAsync(held: 3);
        DeadLetterEachSentMessage(queue, Again.WithoutDetailsAndTime);
        queue.Deliver(Letter("1"));

        RedriveResult result = await RunAsync(queue, All).WaitAsync(Limit);

        (result.Found, result.Sent).ShouldBe((3, 3));
        result.Ended.ShouldNotBeNull().ShouldContain("counted 3 message(s)");
        queue.Sends.Count.ShouldBe(3);
    }

    /// <summary>A message that a redrive policy moves keeps the time at which it was sent, so that it does not show that it came later.</summary>
    [Theory]
    [InlineData(true, null, Later)]
    [InlineData(false, null, Later)]
    [InlineData(true, null, Earlier)]
    [InlineData(false, "nosuch", Earlier)]
    public async Task Run_OthersAreDeadLetteredWithoutEnd_Ends(bool dryRun, string? reason, long sentUnixMs)
    {
        await using FakeQueue queue = await StartAsync(held: 1);
        queue.Deliver(Letter("old"));
        int number = 0;
        queue.Script = call =>
        {
            if (call.Operation == "ReceiveMessage")
            {
                queue.Deliver(Letter($"new-{Interlocked.Increment(ref number)}") with { SentUnixMs = sentUnixMs });
            }

            return null;
        };

        RedriveResult result = await RunAsync(queue, All with { DryRun = dryRun, Reason = reason }).WaitAsync(Limit);

        result.Found.ShouldBe(reason is not null ? 0 : sentUnixMs == Later ? 1 : 102);
        result.Ended.ShouldNotBeNull().ShouldContain("and 101 more were received: more arrive than redrive sends");
        queue.Sends.Count.ShouldBe(dryRun || reason is not null ? 0 : 1);
    }

    [Fact]
    public async Task Run_Interrupted_ReportsItsCountsAndMakesTheRestVisible()
    {
        await using FakeQueue queue = await StartAsync();
        using CancellationTokenSource signal = new();
        int sends = 0;
        queue.Script = call =>
        {
            if (call.Operation == "SendMessage" && Interlocked.Increment(ref sends) == 2)
            {
                signal.Cancel();
            }

            return null;
        };
        queue.DeliverAll(Enumerable.Range(0, 10).Select(number => Letter($"{number}")));

        RedriveResult result = await RunAsync(queue, All, stop: signal.Token).WaitAsync(Limit);

        (result.Found, result.Sent, result.Ended).ShouldBe((2, 2, RedriveProgress.Interrupted));
        queue.Deletes.Count.ShouldBe(2, "Sent dead letters are deleted.");
        queue.VisibilityChanges.SelectMany(call => call.Handles).Count().ShouldBe(8);
    }

    [Fact]
    public async Task Run_UnknownReason_ListsTheExistingReasons()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Deliver(Letter("1"), Letter("2", "too-large"), Letter("3"), Letter("4", reason: null));

        RedriveResult result = await RunAsync(queue, All with { Reason = "nosuch" });

        result.Ended.ShouldNotBeNull().ShouldEndWith("(moved by SQS) (1), malformed-json (2), too-large (1).");
    }

    [Fact]
    public async Task Run_DeletedDeadLetterIsRedelivered_IsDeletedAgainAndNotSentTwice()
    {
        await using FakeQueue queue = await StartAsync();
        FakeMessage letter = Letter("1");
        queue.Deliver(letter);
        queue.Deliver(letter.Again("handle-again"));

        ShouldBeComplete(await RunAsync(queue, All), found: 1, sent: 1);

        queue.Sends.Count.ShouldBe(1);
        queue.Deletes.SelectMany(call => call.Handles).ShouldBe(["handle-1", "handle-again"]);
        queue.VisibilityChanges.ShouldBeEmpty();
    }

    [Theory]
    [InlineData(0, 23, 23)]
    [InlineData(5, 3, 3)]
    public async Task Run_SomeAreInFlight_SaysThatTheyCouldNotBeReceived(int visible, int inFlight, int missed)
    {
        await using FakeQueue queue = await StartAsync(held: visible);
        queue.Attributes["ApproximateNumberOfMessagesNotVisible"] = $"{inFlight}";
        queue.DeliverAll(Enumerable.Range(0, visible).Select(number => Letter($"{number}")));

        RedriveResult result = await RunAsync(queue, All);

        (result.Sent, result.LeftCount, result.IsComplete).ShouldBe((visible, 0, false));
        result.Ended.ShouldNotBeNull().ShouldStartWith($"{missed} dead letter(s) could not be received: another receiver");
        result.Ended.ShouldContain("visibility timeout");
    }

    [Fact]
    public async Task Run_ThoseInFlightBecomeVisible_IsComplete()
    {
        await using FakeQueue queue = await StartAsync(held: 1);
        queue.Attributes["ApproximateNumberOfMessagesNotVisible"] = "2";
        queue.Deliver(Letter("1"), Letter("2"), Letter("3"));

        ShouldBeComplete(await RunAsync(queue, All), found: 3, sent: 3);
    }

    [Fact]
    public async Task Run_KeyOfTheQueueCannotBeUsed_NamesThePermissionsOfASender()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Script = call => call.Operation == "SendMessage" ? QueueAnswer.Error(400, "KmsAccessDenied") : null;
        queue.Deliver(Letter("1"));

        (await RunAsync(queue, All)).Left.ShouldHaveSingleItem().ShouldContain("kms:GenerateDataKey and kms:Decrypt");
    }

    private static void ShouldBeComplete(RedriveResult result, int found, int sent)
    {
        (result.Found, result.Sent, result.LeftCount, result.Ended).ShouldBe((found, sent, 0, null));
        result.IsComplete.ShouldBeTrue();
    }

    /// <summary>Ends the delays of a run: slowly, since the client's requests of up to 10 s have the same clock.</summary>
    private async Task<RedriveResult> FinishAsync(Task<RedriveResult> run)
    {
        using CancellationTokenSource limit = new(Limit);
        while (!run.IsCompleted)
        {
            _time.Advance(TimeSpan.FromSeconds(1));
            await Task.Delay(250, limit.Token);
        }

        return await run;
    }

    /// <summary>Delivers a new dead letter for each sent message.</summary>
    private static void DeadLetterEachSentMessage(FakeQueue queue, Again again)
    {
        int number = 0;
        queue.Script = call =>
        {
            if (call.Operation != "SendMessage")
            {
                return null;
            }

            string id = Guid.NewGuid().ToString();
            string name = $"again-{Interlocked.Increment(ref number)}";
            queue.Deliver(again switch
            {
                Again.ByTheWorker => Letter(name, details: Details(id)),
                Again.WithAPartOfTheDetails => Letter(name, details: $$"""{"sourceId":"{{id}}","attempts":null}"""),
                Again.ByTheRedrivePolicy => Letter(name, reason: null) with { Id = id },
                Again.WithoutDetails => Letter(name, reason: null) with { SentUnixMs = Later },
                _ => Letter(name, reason: null) with { SentUnixMs = 0 },
            });
            return new QueueAnswer(200, $$"""{"MessageId":"{{id}}"}""");
        };
    }

    private Task<RedriveResult> RunAsync(
        FakeQueue queue, RedriveRequest request, TimeProvider? time = null, string name = "orders", CancellationToken stop = default) =>
        new RedriveCatalog(FakeFeatures.Of([new SqsSourceFeature()], [], [])).RunAsync(
            "sqs", SqsSettings.For(queue, name), request, new CommandServices(time ?? _time, TextWriter.Null, TextWriter.Null), stop);

    private static async Task<FakeQueue> StartAsync(int held = 50)
    {
        FakeQueue queue = await FakeQueue.StartAsync();
        queue.AnswersEmptyImmediately = true;
        queue.Attributes["ApproximateNumberOfMessages"] = $"{held}";
        return queue;
    }

    private static string Details(string sourceId, string attributes = "{}") =>
        $$"""
        {"sourceId":"{{sourceId}}","source":"sqs","route":"archive","reason":"malformed-json","description":"Byte 3.","attempts":1,
        "firstSeen":"2026-03-01T09:00:00+00:00","lastSeen":"2026-03-01T10:00:00+00:00","attributes":{{attributes}}}
        """;

    private static FakeMessage Letter(string name, string? reason = "malformed-json", string details = "{}")
    {
        JsonObject attributes = new()
        {
            ["trace"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = $"t{name}" },
            ["raw"] = new JsonObject { ["DataType"] = "Binary", ["BinaryValue"] = "AAH/" },
        };
        if (reason is not null)
        {
            attributes["DeadLetterReason"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = reason };
            attributes["DeadLetterDetails"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = details };
        }

        return FakeMessage.New(name) with { Attributes = attributes };
    }
}
