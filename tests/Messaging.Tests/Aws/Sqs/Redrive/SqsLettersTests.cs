using System.Collections.Concurrent;
using System.Text;
using System.Text.Json.Nodes;
using Messaging.Tests.Planning;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.Aws.Sqs.Redrive;

/// <summary>Single dead letters of a queue: chosen by their ids, moved to the folder, and sent from there to the queue.</summary>
public sealed class SqsLettersTests : IDisposable
{
    private static readonly RedriveRequest All = new(Reason: null, Max: int.MaxValue, DryRun: false, Url: null, Route: null);

    private readonly ManualTimeProvider _time = new();
    private readonly TemporaryFolder _folder = new();
    private readonly DirectoryDeadLetterStore _store;

    public SqsLettersTests() => _store = new DirectoryDeadLetterStore(new DeadLettersOptions { Path = _folder["letters"] }, _time);

    public void Dispose()
    {
        _store.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task Run_Ids_MovesThoseAndReportsThoseThatAreNotThere()
    {
        await using FakeQueue queue = await StartAsync();
        FakeMessage[] letters = [Letter("1"), Letter("2"), Letter("3")];
        queue.Deliver(letters);

        RedriveResult result = await RunAsync(queue, Ids(letters[1].Id, "no-such-id"));

        (result.Found, result.Sent, result.LeftCount, result.IsComplete).ShouldBe((1, 1, 0, false));
        result.Ended.ShouldNotBeNull().ShouldStartWith("the dead-letter queue has no dead letter with the id no-such-id.");
        queue.Sends.ShouldHaveSingleItem().Text("MessageBody").ShouldBe("\"2\"");
        queue.Deletes.ShouldHaveSingleItem().Handles.ShouldBe(["handle-2"]);
        queue.VisibilityChanges.SelectMany(call => call.Handles).ShouldBe(["handle-1", "handle-3"]);
    }

    [Fact]
    public async Task Run_IdsThatAreAllFound_EndsWithoutLookingAtTheRest()
    {
        await using FakeQueue queue = await StartAsync();
        FakeMessage wanted = Letter("0");
        queue.DeliverAll([wanted, .. Enumerable.Range(1, 99).Select(number => Letter($"{number}"))]);

        RedriveResult result = await RunAsync(queue, Ids(wanted.Id) with { DryRun = true });

        (result.Found, result.Sent, result.IsComplete).ShouldBe((1, 0, true));
        queue.Receives.ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Run_ToFolder_StoresBodyAndRecordThenDeletesAndSendsNothing()
    {
        await using FakeQueue queue = await StartAsync();
        const string Details = """{"sourceId":"first-id","source":"x","route":"other","reason":"x","description":"Byte 3.","exceptionType":"System.FormatException","exception":"at A\nat B","attempts":4,"firstSeen":"2026-03-01T09:00:00+00:00","lastSeen":"2026-03-01T10:00:00+00:00","isPart":true,"attributes":{"tenant":"hidden","more":"m"},"deduplicationId":"d-1","note":"n"}""";
        queue.Deliver(
            Letter("1", Details) with { Body = "{\"a\":\"\u00e4\"} ", Group = "g" },
            FakeMessage.New("2") with { ReceiveCount = 3 });

        RedriveResult result = await RunAsync(queue, All with { ToFolder = true });

        (result.Found, result.Sent, result.IsComplete).ShouldBe((2, 2, true), result.Ended);
        result.Notes.ShouldHaveSingleItem().ShouldStartWith($"They are in {_folder["letters"]}. ");
        queue.Sends.ShouldBeEmpty();
        queue.Deletes.SelectMany(call => call.Handles).ShouldBe(["handle-1", "handle-2"]);
        StoredDeadLetter[] stored = [.. _store.Letters.List().Select(name => _store.Letters.Find(name)!)];
        stored.Length.ShouldBe(2);
        StoredDeadLetter whole = stored.Single(letter => letter.Letter.SourceId == "first-id");
        whole.Name.ShouldStartWith("malformed-json/20260301/first-id~");
        whole.Letter
            .ToJson()
            .ShouldBe(
                """{"sourceId":"first-id","source":"sqs","route":"archive","handler":"Archive","reason":"malformed-json","description":"Byte 3.","exceptionType":"System.FormatException","exception":"at A\nat B","attempts":4,"firstSeen":"2026-03-01T09:00:00+00:00","lastSeen":"2026-03-01T10:00:00+00:00","attributes":{"tenant":"north","more":"m"},"group":"g","deduplicationId":"d-1"}""");
        _store.Letters.ReadBody(whole).ShouldBe(Encoding.UTF8.GetBytes("{\"a\":\"\u00e4\"} "));
        DeadLetter moved = stored.Single(letter => letter != whole).Letter;
        (moved.Reason, moved.Attempts, moved.FirstSeen, moved.LastSeen).ShouldBe(
            ("unspecified", 3, DateTimeOffset.FromUnixTimeMilliseconds(1_792_000_000_123), DateTimeOffset.FromUnixTimeMilliseconds(1_792_000_000_123)));
        moved.Attributes.ShouldBeEmpty();
    }

    [Fact]
    public async Task Run_ToFolderDryRun_WritesNothing()
    {
        await using FakeQueue queue = await StartAsync();
        queue.Deliver(Letter("1"));

        RedriveResult result = await RunAsync(queue, All with { ToFolder = true, DryRun = true });

        (result.Found, result.Sent, result.IsComplete, result.Notes.Count).ShouldBe((1, 0, true, 0));
        queue.Deletes.ShouldBeEmpty();
        Directory.Exists(_folder["letters"]).ShouldBeFalse();
    }

    [Fact]
    public async Task Run_ToFolderDeleteFails_KeepsBothAndTheNextRunLosesNone()
    {
        await using FakeQueue queue = await StartAsync();
        FakeMessage letter = Letter("1");
        queue.Script = call => call.Operation == "DeleteMessageBatch" ? QueueAnswer.Failing(call, "InternalError", senderFault: false, _ => true) : null;
        queue.Deliver(letter);

        RedriveResult first = await RunAsync(queue, All with { ToFolder = true });

        first.Left.ShouldHaveSingleItem().ShouldContain("stored, but not deleted: InternalError");
        _store.Letters.List().Count.ShouldBe(1);
        queue.VisibilityChanges.SelectMany(call => call.Handles).ShouldContain("handle-1");

        queue.Script = _ => null;
        queue.Deliver(letter.Again("handle-again"));
        (await RunAsync(queue, All with { ToFolder = true })).IsComplete.ShouldBeTrue();

        queue.Deletes[^1].Handles.ShouldBe(["handle-again"]);
        _store.Letters.List().Count.ShouldBe(2);
    }

    [Fact]
    public async Task Run_ToFolderThatCannotBeWritten_DeletesNothingAndEnds()
    {
        await using FakeQueue queue = await StartAsync();
        await File.WriteAllTextAsync(_folder["letters"], "a file", TestContext.Current.CancellationToken);
        queue.DeliverAll(Enumerable.Range(0, 9).Select(number => Letter($"{number}")));

        RedriveResult result = await RunAsync(queue, All with { ToFolder = true });

        (result.Found, result.Sent, result.LeftCount).ShouldBe((5, 0, 5));
        result.Left.ShouldAllBe(line => line.Contains("The dead letter could not be stored"));
        result.Ended.ShouldNotBeNull().ShouldStartWith("5 dead letters in a row could not be stored.");
        queue.Deletes.ShouldBeEmpty();
    }

    [Fact]
    public async Task Run_ToFolderBinaryAttribute_StaysInTheQueueWithWhy()
    {
        await using FakeQueue queue = await StartAsync();
        FakeMessage binary = Letter("1");
        binary.Attributes!["raw"] = new JsonObject { ["DataType"] = "Binary", ["BinaryValue"] = "AAH/" };
        queue.Deliver(binary, Letter("2"));

        RedriveResult result = await RunAsync(queue, All with { ToFolder = true });

        (result.Found, result.Sent, result.LeftCount).ShouldBe((2, 1, 1));
        result.Left.ShouldHaveSingleItem().ShouldContain("its attribute raw is binary, which the folder cannot keep");
        queue.Deletes.SelectMany(call => call.Handles).ShouldBe(["handle-2"]);
    }

    [Theory]
    [InlineData(null, "Routes:a:Source=Http", false)]
    [InlineData(null, "Routes:a:Source=Sqs Routes:b:Source=Sqs", false)]
    [InlineData("b", "Routes:a:Source=Sqs Routes:b:Source=Sqs", true)]
    [InlineData(null, "Routes:a:Source=Http,Sqs Routes:a:Sources:Sqs:Queue=other Routes:b:Source=Channel,sqs Routes:c:Source=Http", true)]
    [InlineData(null, "Routes:a:Source=Sqs Routes:a:Sources:Sqs:Queue=other Routes:b:Source=Sqs Routes:b:Sources:Sqs:Queue=orders", true)]
    public async Task Run_ToFolder_NeedsTheOneRouteOfTheQueue(string? route, string settings, bool isKnown)
    {
        await using FakeQueue queue = await StartAsync();
        queue.Deliver(Letter("1"));

        Task<RedriveResult> run = RunAsync(queue, All with { ToFolder = true, Route = route }, settings);

        if (isKnown)
        {
            (await run).Sent.ShouldBe(1);
            _store.Letters.Find(_store.Letters.List().Single())!.Letter.Route.ShouldBe("b");
        }
        else
        {
            (await Should.ThrowAsync<StartupException>(run)).Message.ShouldContain("name the route with --route");
            queue.Receives.ShouldBeEmpty();
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Run_FromFolderForARouteOfAQueue_SendsToTheQueueAndDeletesAfterwards(bool isFifo)
    {
        await using FakeQueue queue = await StartAsync();
        string name = isFifo ? "orders.fifo" : "orders";
        await WriteAsync("m-1");
        ConcurrentQueue<int> kept = [];
        queue.Script = call =>
        {
            if (call.Operation != "SendMessageBatch")
            {
                return null;
            }

            kept.Enqueue(_store.Letters.List().Count);
            return new QueueAnswer(200, """{"Successful":[{"Id":"0","MessageId":"new"}],"Failed":[]}""");
        };

        RedriveResult result = await RunAsync(queue, All with { Url = "http://127.0.0.1:1" }, "Routes:archive:Source=Sqs", from: "folder", name);

        (result.Found, result.Sent, result.IsComplete).ShouldBe((1, 1, true), $"{result.Ended} {string.Join(", ", result.Left)}");
        kept.ShouldBe([1]);
        _store.Letters.List().ShouldBeEmpty();
        JsonNode entry = JsonNode.Parse(queue.Calls.Single(call => call.Operation == "SendMessageBatch").Json.GetProperty("Entries")[0].GetRawText())!;
        ((string)entry["MessageBody"]!, (string)entry["MessageGroupId"]!, (string)entry["MessageAttributes"]!["tenant"]!["StringValue"]!).ShouldBe(
            ("body of m-1", "g", "north"));
        if (isFifo)
        {
            // SQS may remember the old one, and would drop the message.
            Guid.TryParse((string?)entry["MessageDeduplicationId"], out _).ShouldBeTrue();
        }
    }

    [Fact]
    public async Task Run_FromFolderQueueRefuses_KeepsTheDeadLetter()
    {
        await using FakeQueue queue = await StartAsync();
        await WriteAsync("m-1");
        queue.Script = call => call.Operation == "SendMessageBatch" ? QueueAnswer.Error(400, "InvalidMessageContents") : null;

        RedriveResult result = await RunAsync(queue, All, "Routes:archive:Source=Sqs", from: "folder");

        (result.Found, result.Sent, result.LeftCount).ShouldBe((1, 0, 1));
        result.Left.ShouldHaveSingleItem().ShouldContain("InvalidMessageContents");
        _store.Letters.List().Count.ShouldBe(1);
    }

    [Fact]
    public async Task Run_FromFolderQueueIsDown_EndsAfterFiveAndKeepsAll()
    {
        await using FakeQueue queue = await StartAsync();
        for (int i = 0; i < 8; i++)
        {
            await WriteAsync($"m-{i}");
        }

        queue.Script = call => call.Operation == "SendMessageBatch" ? QueueAnswer.InternalError : null;

        RedriveResult result = await RunAsync(queue, All, "Routes:archive:Source=Sqs", from: "folder");

        (result.Found, result.Sent, result.LeftCount).ShouldBe((5, 0, 5));
        result.Ended.ShouldNotBeNull().ShouldStartWith("nothing more can be sent to route archive: 3 more dead letter(s) were not tried.");
        _store.Letters.List().Count.ShouldBe(8);
    }

    private static RedriveRequest Ids(params string[] ids) => All with { Names = ids.ToHashSet(StringComparer.Ordinal) };

    private static async Task<FakeQueue> StartAsync()
    {
        FakeQueue queue = await FakeQueue.StartAsync();
        queue.AnswersEmptyImmediately = true;
        queue.Attributes["ApproximateNumberOfMessages"] = "50";
        return queue;
    }

    private static FakeMessage Letter(string name, string details = "{}") => FakeMessage.New(name) with
    {
        Attributes = new JsonObject
        {
            ["tenant"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = "north" },
            ["DeadLetterReason"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = "malformed-json" },
            ["DeadLetterDetails"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = details },
        },
    };

    private Task<RedriveResult> RunAsync(
        FakeQueue queue, RedriveRequest request, string routes = "Routes:archive:Source=Sqs", string from = "sqs", string name = "orders") =>
        new RedriveCatalog(FakeFeatures.Of([new HttpSourceFeature(), new SqsSourceFeature()], [], [])).RunAsync(
            from,
            new ConfigurationBuilder()
                .AddConfiguration(SqsSettings.For(queue, name))
                .AddInMemoryCollection(
                    [KeyValuePair.Create("DeadLetters:Path", (string?)_folder["letters"]),
                        .. routes.Split(' ').Select(setting => KeyValuePair.Create(setting.Split('=')[0], (string?)setting.Split('=')[1]))])
                .Build(),
            request,
            // From the folder of the real clock: a sender to a worker that is not there would wait.
            new CommandServices(from == "folder" ? TimeProvider.System : _time, TextWriter.Null, TextWriter.Null),
            CancellationToken.None);

    private async Task WriteAsync(string id)
    {
        DeadLetter letter = new()
        {
            SourceId = id,
            Source = "sqs",
            Route = "archive",
            Reason = "malformed-json",
            Description = "d",
            Attempts = 1,
            FirstSeen = _time.GetUtcNow(),
            LastSeen = _time.GetUtcNow(),
            Attributes = new Dictionary<string, string>(StringComparer.Ordinal) { ["tenant"] = "north" },
            Group = "g",
            DeduplicationId = "d-1",
        };
        await _store.WriteAsync(letter, Encoding.UTF8.GetBytes($"body of {id}"), CancellationToken.None);
    }
}
