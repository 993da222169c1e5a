using System.Text.Json;
using System.Text.Json.Nodes;
using Worker.CommandLine;
using Worker.Hosting;
using Worker.Tests.Sources.Sqs;

namespace Worker.Tests.CommandLine;

public sealed class SqsRedriveTests
{
    private static readonly RedriveRequest All = new(Reason: null, Max: int.MaxValue, DryRun: false, Url: null, Route: null);

    [Fact]
    public async Task Run_Letters_AreSentUnchangedWithTheirAttributesAndThenDeleted()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Deliver(Letter("1") with { Body = "{\"a\":\"\u00e4\"}" }, Letter("2"));

        RedriveResult result = await SqsRedrive.RunAsync(SqsSettings.For(queue), All, CancellationToken.None);

        result.ShouldBe(new RedriveResult(2, 2, null));
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
    public async Task Run_WithAReason_MovesThoseAndHandsTheOthersBack()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Deliver(Letter("1", "malformed-json"), Letter("2", "too-large"), Letter("3", reason: null), Letter("4", "malformed-json"));

        RedriveResult result = await SqsRedrive.RunAsync(SqsSettings.For(queue), All with { Reason = "malformed-json" }, CancellationToken.None);

        result.ShouldBe(new RedriveResult(2, 2, null));
        queue.Deletes.SelectMany(call => call.Handles).ShouldBe(["handle-1", "handle-4"]);
        QueueCall back = queue.VisibilityChanges.ShouldHaveSingleItem();
        back.Handles.ShouldBe(["handle-2", "handle-3"]);
        back.Seconds.ShouldAllBe(seconds => seconds == 0);
    }

    [Fact]
    public async Task Run_DryRun_SendsAndDeletesNothingAndHandsAllBack()
    {
        await using FakeQueue queue = await StartAsync();
        queue.DeliverAll(Enumerable.Range(0, 25).Select(number => Letter($"{number}")));

        RedriveResult result = await SqsRedrive.RunAsync(SqsSettings.For(queue), All with { DryRun = true }, CancellationToken.None);

        result.ShouldBe(new RedriveResult(25, 0, null));
        queue.Sends.ShouldBeEmpty();
        queue.Deletes.ShouldBeEmpty();
        queue.VisibilityChanges.SelectMany(call => call.Handles).Distinct().Count().ShouldBe(25, "A redrive right after it must find them.");
    }

    [Fact]
    public async Task Run_WithAMaximum_MovesSoManyAndHandsTheRestBack()
    {
        await using FakeQueue queue = await StartAsync();
        queue.DeliverAll(Enumerable.Range(0, 10).Select(number => Letter($"{number}")));

        RedriveResult result = await SqsRedrive.RunAsync(SqsSettings.For(queue), All with { Max = 4 }, CancellationToken.None);

        result.ShouldBe(new RedriveResult(4, 4, null));
        queue.Sends.Count.ShouldBe(4);
        queue.VisibilityChanges.SelectMany(call => call.Handles).ShouldBe([.. Enumerable.Range(4, 6).Select(number => $"handle-{number}")]);
    }

    [Fact]
    public async Task Run_QueueRefusesALetter_ItStaysAndTheOthersGo()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Script = call => call.Operation == "SendMessage" && call.Attribute("trace") == "t2" ? QueueAnswer.Error(400, "InvalidMessageContents") : null;
        queue.Deliver(Letter("1"), Letter("2"), Letter("3"));

        RedriveResult result = await SqsRedrive.RunAsync(SqsSettings.For(queue), All, CancellationToken.None);

        (result.Found, result.Sent).ShouldBe((3, 2));
        result.FirstError.ShouldNotBeNull().ShouldContain("InvalidMessageContents");
        queue.Deletes.SelectMany(call => call.Handles).ShouldBe(["handle-1", "handle-3"]);
        queue.VisibilityChanges.ShouldHaveSingleItem().Handles.ShouldBe(["handle-2"]);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Run_LetterCannotBeDeleted_IsTriedThreeTimesSaidAndNotSentTwice(bool wholeCall)
    {
        await using FakeQueue queue = await StartAsync();
        queue.Script = call => call.Operation != "DeleteMessageBatch" ? null
            : wholeCall ? QueueAnswer.InternalError : QueueAnswer.Failing(call, "InternalError", senderFault: false, _ => true);
        FakeMessage letter = Letter("1");
        queue.Deliver(letter);
        queue.Deliver(letter.Again("handle-again"));

        RedriveResult result = await SqsRedrive.RunAsync(SqsSettings.For(queue), All, CancellationToken.None);

        (result.Found, result.Sent).ShouldBe((1, 0));
        result.FirstError.ShouldNotBeNull().ShouldStartWith("sent, but not deleted");
        queue.Sends.Count.ShouldBe(1);
        queue.Deletes.Count.ShouldBe(3);
    }

    [Fact]
    public async Task Run_DeleteFailsOnce_IsTriedAgain()
    {
        await using FakeQueue queue = await StartAsync();
        int deletes = 0;
        queue.Script = call => call.Operation == "DeleteMessageBatch" && Interlocked.Increment(ref deletes) == 1 ? QueueAnswer.Lost : null;
        queue.Deliver(Letter("1"));

        RedriveResult result = await SqsRedrive.RunAsync(SqsSettings.For(queue), All, CancellationToken.None);

        result.ShouldBe(new RedriveResult(1, 1, null));
        queue.Deletes.Count.ShouldBe(2);
    }

    [Fact]
    public async Task Run_LettersComeAgainBetweenNewOnes_AllAreSeen()
    {
        await using FakeQueue queue = await StartAsync();
        FakeMessage staying = Letter("staying", "other");
        queue.Deliver(staying);
        queue.Deliver(staying.Again("again"));
        queue.Deliver(staying.Again("and-again"), Letter("1"));
        queue.Deliver(Letter("2"));

        RedriveResult result = await SqsRedrive.RunAsync(SqsSettings.For(queue), All with { Reason = "malformed-json" }, CancellationToken.None);

        result.ShouldBe(new RedriveResult(2, 2, null), "Meeting a letter again does not mean that all were seen.");
    }

    [Fact]
    public async Task Run_SameLettersComeForEver_Ends()
    {
        await using FakeQueue queue = await StartAsync();
        FakeMessage staying = Letter("staying", "other");
        for (int delivery = 0; delivery < 50; delivery++)
        {
            queue.Deliver(staying.Again($"handle-{delivery}"));
        }

        RedriveResult result = await SqsRedrive.RunAsync(SqsSettings.For(queue), All with { Reason = "malformed-json" }, CancellationToken.None);

        result.ShouldBe(new RedriveResult(0, 0, null));
        queue.Receives.Count.ShouldBeLessThan(10);
    }

    [Fact]
    public async Task Run_Fifo_KeepsTheGroupAndGivesANewDeduplicationId()
    {
        await using FakeQueue queue = await StartAsync();
        queue.MakeFifo();
        queue.Deliver(Letter("1") with { Group = "group-7" });

        await SqsRedrive.RunAsync(SqsSettings.For(queue, "orders.fifo"), All, CancellationToken.None);

        QueueCall sent = queue.Sends.ShouldHaveSingleItem();
        sent.Text("MessageGroupId").ShouldBe("group-7");
        Guid.TryParse(sent.Text("MessageDeduplicationId"), out _).ShouldBeTrue();
    }

    [Fact]
    public async Task Run_ReceivingIsRefused_SaysWhatToDo()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Script = call => call.Operation == "ReceiveMessage" ? QueueAnswer.Error(403, "AccessDenied") : null;

        StartupException refused = await Should.ThrowAsync<StartupException>(SqsRedrive.RunAsync(SqsSettings.For(queue), All, CancellationToken.None));

        refused.Message.ShouldContain("AccessDenied");
        refused.Message.ShouldContain("deploy/iam/redrive-policy.json");
    }

    [Fact]
    public async Task Run_EndsWithAnError_LettersThatWereSeenAreHandedBack()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Deliver(Letter("1"));
        int receives = 0;
        queue.Script = call => call.Operation == "ReceiveMessage" && Interlocked.Increment(ref receives) == 2 ? QueueAnswer.InternalError : null;

        await Should.ThrowAsync<StartupException>(SqsRedrive.RunAsync(SqsSettings.For(queue), All with { DryRun = true }, CancellationToken.None));

        queue.VisibilityChanges.ShouldHaveSingleItem().Handles.ShouldBe(["handle-1"]);
    }

    private static async Task<FakeQueue> StartAsync()
    {
        FakeQueue queue = await FakeQueue.StartAsync();
        queue.AnswersEmptyAtOnce = true;
        return queue;
    }

    private static FakeMessage Letter(string name, string? reason = "malformed-json")
    {
        JsonObject attributes = new()
        {
            ["trace"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = $"t{name}" },
            ["raw"] = new JsonObject { ["DataType"] = "Binary", ["BinaryValue"] = "AAH/" },
        };
        if (reason is not null)
        {
            attributes["DeadLetterReason"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = reason };
            attributes["DeadLetterDetails"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = "{}" };
        }

        return FakeMessage.New(name) with { Attributes = attributes };
    }
}
