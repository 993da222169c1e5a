using System.Text.Json;
using System.Text.Json.Nodes;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Aws.Sqs;

[Collection(OneThreadCollection.Name)]
public sealed class DeadLetterTests
{
    private const int DeadLetterFailed = 3210;
    private const int MessageBytes = 1_048_576;

    // The MaximumMessageSize of many queues: the default until August 2025.
    private const int QueueBytes = 262_144;

    private static readonly Settlement Poison = Settlement.DeadLetter("malformed-json", "The JSON ends too early.", "System.Text.Json.JsonException");

    [Fact]
    public async Task DeadLetter_Message_IsSentUnchangedWithReasonAndDetailsAndThenDeleted()
    {
        await using SqsRun run = SqsRun.Create();
        FakeMessage message = FakeMessage.New("a") with
        {
            Body = "{\"broken\": \"\u00e4 \\\" \ud83d\ude00\" \t",
            ReceiveCount = 3,
            Attributes = new JsonObject
            {
                ["trace"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = "a\"b\u00e9" },
                ["size"] = new JsonObject { ["DataType"] = "Number.int", ["StringValue"] = "12" },
                ["raw"] = new JsonObject { ["DataType"] = "Binary", ["BinaryValue"] = "AAH/" },
            },
        };
        Delivery[] deliveries = await run.BeginWithAsync(message);

        await deliveries[0].SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        QueueCall sent = run.Queue.Sends.ShouldHaveSingleItem();
        run.Queue.Calls.Select(call => call.Operation).Where(operation => operation is "SendMessage" or "DeleteMessageBatch")
            .ShouldBe(["SendMessage", "DeleteMessageBatch"]);
        sent.Text("QueueUrl").ShouldEndWith("/dead");
        sent.Text("MessageBody").ShouldBe(message.Body);
        sent.Attribute("trace").ShouldBe("a\"b\u00e9");
        sent.Attribute("size").ShouldBe("12");
        sent.Json.GetProperty("MessageAttributes").GetProperty("size").GetProperty("DataType").GetString().ShouldBe("Number.int");
        sent.Json.GetProperty("MessageAttributes").GetProperty("raw").GetProperty("BinaryValue").GetString().ShouldBe("AAH/");
        sent.Attribute("DeadLetterReason").ShouldBe("malformed-json");
        JsonElement details = JsonDocument.Parse(sent.Attribute("DeadLetterDetails")!).RootElement;
        details.GetProperty("sourceId").GetString().ShouldBe(message.Id);
        details.GetProperty("source").GetString().ShouldBe("sqs");
        details.GetProperty("route").GetString().ShouldBe("orders");
        details.GetProperty("description").GetString().ShouldBe(Poison.Description);
        details.GetProperty("exceptionType").GetString().ShouldBe(Poison.ExceptionType);
        details.GetProperty("attempts").GetInt32().ShouldBe(3);
        details.GetProperty("firstSeen").GetDateTimeOffset().ShouldBe(DateTimeOffset.FromUnixTimeMilliseconds(1_792_000_000_123));
        details.GetProperty("lastSeen").GetDateTimeOffset().ShouldBe(run.Time.GetUtcNow());
        sent.Json.TryGetProperty("MessageGroupId", out _).ShouldBeFalse();
        sent.Json.TryGetProperty("MessageDeduplicationId", out _).ShouldBeFalse();
        await run.EndAsync();
    }

    [Fact]
    public async Task DeadLetter_SendIsInFlight_NothingIsDeleted()
    {
        await using SqsRun run = SqsRun.Create();
        TaskCompletionSource sending = new();
        run.Queue.Script = call => call.Operation == "SendMessage" ? QueueAnswer.After(sending.Task) : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"), FakeMessage.New("b"));

        Task settling = deliveries[0].SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Sends.Count == 1, "Not sent.");
        await deliveries[1].SettleAsync(Settlement.Complete);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count > 0, "The other message was not deleted.");
        run.Queue.Deletes.ShouldHaveSingleItem().Handles.ShouldBe(["handle-b"]);

        sending.SetResult();
        await settling;
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 2, "Not deleted.");
        run.Queue.Deletes[1].Handles.ShouldBe(["handle-a"]);
        await run.EndAsync();
    }

    [Theory]
    [InlineData(500, "InternalError")]
    [InlineData(400, "RequestThrottled")]
    public async Task DeadLetter_SendFailsTwice_SucceedsAtTheThirdAttempt(int status, string code)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "SendMessage" && run.Queue.Sends.Count < 3 ? QueueAnswer.Error(status, code) : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));

        await run.PassWhileSettlingAsync(deliveries[0], Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        run.Queue.Sends.Count.ShouldBe(3);
        run.Queue.Sends.ShouldAllBe(sent => sent.Attribute("DeadLetterDetails") != null);
        run.Queue.VisibilityChanges.ShouldBeEmpty();
        run.HasLogged(DeadLetterFailed).ShouldBeFalse();
        await run.EndAsync();
    }

    [Theory]
    [InlineData("InternalError", 2)]
    [InlineData("Throttled", 2)]
    [InlineData("AccessDenied", 0)]
    [InlineData("NotFound", 0)]
    [InlineData("TooLong", 0)]
    [InlineData("lost", 2)]
    [InlineData("malformed", 2)]
    [InlineData("hangs", 4)]
    public async Task DeadLetter_CannotBeSent_MessageIsReturnedLateAndIsNotDeleted(string failure, int seconds)
    {
        const int MaxHoldSeconds = 15 * 60;
        await using SqsRun run = SqsRun.Create(wire: failure == "hangs" ? new() { CallTimeout = TimeSpan.FromSeconds(2) } : null);
        run.Queue.Script = call => call.Operation != "SendMessage" ? null : failure switch
        {
            "InternalError" => QueueAnswer.InternalError,
            "Throttled" => QueueAnswer.Error(400, "RequestThrottled"),
            "AccessDenied" => QueueAnswer.Error(403, "AccessDenied"),
            "NotFound" => QueueAnswer.Error(400, "QueueDoesNotExist"),
            "TooLong" => QueueAnswer.Error(400, "InvalidParameterValue"),
            "lost" => QueueAnswer.Lost,
            "malformed" => new QueueAnswer(200, "{}"),
            _ => run.Queue.Sends.Count == 1 ? QueueAnswer.Hang : QueueAnswer.Lost,
        };
        FakeMessage message = FakeMessage.New("a");
        Delivery[] deliveries = await run.BeginWithAsync(message);

        await run.PassWhileSettlingAsync(deliveries[0], Poison);
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Count == 1, "The message was not returned.");

        run.Queue.VisibilityChanges[0].Handles.ShouldBe(["handle-a"]);
        run.Queue.VisibilityChanges[0].Seconds.ShouldBe([MaxHoldSeconds - seconds]);
        run.Queue.Deletes.ShouldBeEmpty();
        run.HasLogged(DeadLetterFailed).ShouldBeTrue();

        run.Queue.Script = _ => null;
        run.Queue.Deliver(message.Again("handle-b"));
        await (await run.Intake.NextAsync()).SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "The second attempt did not end.");
        await run.EndAsync();
    }

    [Theory]
    [InlineData(302)]
    [InlineData(400)]
    public async Task DeadLetter_AnswerIsAProxysPage_IsSentLaterWithAllAttributes(int status)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "SendMessage" && run.Queue.Sends.Count == 1 ? new QueueAnswer(status, "<html>Sign in.</html>") : null;
        FakeMessage message = FakeMessage.New("a");
        Delivery[] deliveries = await run.BeginWithAsync(message);

        await deliveries[0].SettleAsync(Poison);
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Count + run.Queue.Deletes.Count == 1, "The message was not settled.");
        run.Queue.Deletes.ShouldBeEmpty();
        run.Queue.Deliver(message.Again("handle-b"));
        await (await run.Intake.NextAsync()).SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        run.Queue.Sends.Count.ShouldBe(2);
        run.Queue.Sends[1].Attribute("DeadLetterReason").ShouldBe("malformed-json");
        run.Queue.Sends[1].Attribute("DeadLetterDetails").ShouldNotBeNull();
        await run.EndAsync();
    }

    [Fact]
    public async Task DeadLetter_RedeliveredAfterwards_IsDeletedAndNotSentTwice()
    {
        await using SqsRun run = SqsRun.Create();
        FakeMessage message = FakeMessage.New("a");
        Delivery[] deliveries = await run.BeginWithAsync(message);
        await deliveries[0].SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        run.Queue.Deliver(message.Again("handle-b"));

        await run.PassUntilAsync(() => run.Queue.Deletes.Count == 2, "The redelivery was not deleted.");
        run.Queue.Sends.Count.ShouldBe(1);
        await run.EndAsync();
    }

    [Fact]
    public async Task DeadLetter_BodyIsLargerThanTheQueueAllows_SaysWhatToDoAndDeletesNothing()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "SendMessage" && DeadLetterAttributesTests.SizeOf(call) > QueueBytes
            ? QueueAnswer.Error(400, "InvalidParameterValue")
            : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a") with { Body = new string('x', QueueBytes + 1) });

        await deliveries[0].SettleAsync(Poison);
        await run.PassUntilAsync(() => run.Queue.VisibilityChanges.Count == 1, "The message was not returned.");

        run.Log.Entries.Single(entry => entry.Id.Id == DeadLetterFailed).Text.ShouldContain(
            "the body alone (262,145 bytes); if its MaximumMessageSize is lower, raise it");
        run.Queue.Deletes.ShouldBeEmpty();
        await run.EndAsync();
    }

    [Fact]
    public async Task DeadLetter_OfAFifoQueue_CarriesGroupAndDeduplicationId()
    {
        await using SqsRun run = SqsRun.Create(isFifo: true);
        FakeMessage message = FakeMessage.New("a", "group-7");
        Delivery[] deliveries = await run.BeginWithAsync(message);
        await deliveries[0].SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        QueueCall sent = run.Queue.Sends.ShouldHaveSingleItem();
        sent.Text("QueueUrl").ShouldEndWith("/dead.fifo");
        sent.Text("MessageGroupId").ShouldBe("group-7");
        sent.Text("MessageDeduplicationId").ShouldBe(message.Id);
        await run.EndAsync();
    }

    [Fact]
    public async Task DeadLetter_OfAFairQueue_CarriesTheGroupAlone()
    {
        await using SqsRun run = SqsRun.Create();
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a", "tenant-\u00e4"), FakeMessage.New("b"));

        await deliveries[0].SettleAsync(Poison);
        await deliveries[1].SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Sends.Count == 2, "Not sent.");

        run.Queue.Sends[0].Text("MessageGroupId").ShouldBe("tenant-\u00e4");
        run.Queue.Sends[1].Json.TryGetProperty("MessageGroupId", out _).ShouldBeFalse("The message had none.");
        run.Queue.Sends.Where(sent => sent.Json.TryGetProperty("MessageDeduplicationId", out _)).ShouldBeEmpty("Standard queues refuse one.");
        await run.EndAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task DeadLetter_RefusedWithItsAttributes_KeepsTheGroup(bool isFifo)
    {
        await using SqsRun run = SqsRun.Create(isFifo);
        run.Queue.Script = call => call.Operation == "SendMessage" && call.Json.TryGetProperty("MessageAttributes", out _)
            ? QueueAnswer.Error(400, "InvalidParameterValue")
            : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a", "tenant-1") with { Attributes = Texts(2) });

        await deliveries[0].SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        run.Queue.Sends.Count.ShouldBeGreaterThan(1);
        run.Queue.Sends.ShouldAllBe(sent => sent.Text("MessageGroupId") == "tenant-1");
        await run.EndAsync();
    }

    [Fact]
    public async Task DeadLetter_RefusedWithTheStack_KeepsTheOtherDetails()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "SendMessage"
            && call.Attribute("DeadLetterDetails")?.Contains("no customer", StringComparison.Ordinal) == true
            ? QueueAnswer.Error(400, "InvalidParameterValue")
            : null;
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a"));

        await deliveries[0].SettleAsync(Poison with { Exception = new InvalidOperationException("no customer") });
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        run.Queue.Sends.Count.ShouldBe(2, "The first has the stack.");
        run.Queue.Sends[1].Attribute("DeadLetterDetails").ShouldNotBeNull().ShouldContain("The JSON ends too early.");
        await run.EndAsync();
    }

    internal static JsonObject Texts(int count) => new(
        Enumerable
            .Range(0, count)
            .Select(i => KeyValuePair.Create($"name{i}", (JsonNode?)new JsonObject { ["DataType"] = "String", ["StringValue"] = $"value{i}" })));
}
