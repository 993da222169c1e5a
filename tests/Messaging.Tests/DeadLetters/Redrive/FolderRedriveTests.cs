using System.Text;
using System.Text.Json.Nodes;
using Messaging.Tests.Aws.Sqs.Wire;
using Messaging.Tests.Planning;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.DeadLetters.Redrive;

/// <summary>Which dead letters of the folder are sent, which stay, and how those are reported.</summary>
public sealed class FolderRedriveTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly DirectoryDeadLetterStore _store;

    public FolderRedriveTests() => _store = new DirectoryDeadLetterStore(new DeadLettersOptions { Path = _folder.Path }, TimeProvider.System);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Run_WorkerStoresAll_SendsEachWithItsIdAndEmptiesTheFolder()
    {
        await WriteAsync("m-1");
        await WriteAsync("m-2");
        await using FakeService worker = await StartAsync(Stored);

        RedriveResult result = await RunAsync(worker);

        (result.Found, result.Sent, result.IsComplete).ShouldBe((2, 2, true));
        result.Notes.ShouldBeEmpty();
        worker.Requests.Select(request => (request.Target, request.Headers["X-Message-Id"], Encoding.UTF8.GetString(request.Body)))
            .ShouldBe([("/messages/archive", "m-1", "body of m-1"), ("/messages/archive", "m-2", "body of m-2")]);
        _store.Letters.List().ShouldBeEmpty();
    }

    [Fact]
    public async Task Run_Attributes_AreSentAsHeadersWhereTheyCanBe()
    {
        Write("m-1", "malformed-json",
            attributes: new(StringComparer.Ordinal) { ["x-tenant"] = "acme", ["no header"] = "x", ["Host"] = "evil", ["x-empty"] = "" });
        await using FakeService worker = await StartAsync(Stored);

        RedriveResult result = await RunAsync(worker);

        result.Sent.ShouldBe(1);
        FakeRequest sent = worker.Requests.ShouldHaveSingleItem();
        sent.Headers["x-tenant"].ShouldBe("acme");
        sent.Headers["Host"].ShouldNotBe("evil");
        sent.Headers.ContainsKey("x-empty").ShouldBeFalse();
    }

    [Fact]
    public async Task Run_DryRun_ListsReasonRouteAndIdAndSendsNothing()
    {
        await WriteAsync("one");
        using StringWriter output = new();
        RedriveRequest request = new(Reason: null, Max: 100, DryRun: true, "http://127.0.0.1:1", Route: null);

        await RunAsync(request, _folder.Path, output);

        output.ToString().ShouldMatch("^malformed-json  archive  one  2026-01-01 00:00:00Z  test\n");
        _store.Letters.List().ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Run_DryRunWithBodies_ShowsEachBody()
    {
        await WriteAsync("one");
        using StringWriter output = new();
        RedriveRequest request = new(Reason: null, Max: 100, DryRun: true, "http://127.0.0.1:1", Route: null) { Bodies = true };

        await RunAsync(request, _folder.Path, output);

        output.ToString().ShouldMatch("^malformed-json  archive  one  2026-01-01 00:00:00Z  test\n    body of one\n");
    }

    [Fact]
    public async Task Run_PartsOfMessages_AreLeftAndReported()
    {
        await WriteAsync("message");
        await WriteAsync("row", isPart: true);
        await using FakeService worker = await StartAsync(Stored);

        RedriveResult result = await RunAsync(worker);

        (result.Found, result.Sent, result.IsComplete).ShouldBe((1, 1, true));
        result.Notes.ShouldHaveSingleItem().ShouldStartWith("1 dead letter(s) are parts of messages");
        _store.Letters.List().ShouldHaveSingleItem().ShouldContain("row");
    }

    [Theory]
    [InlineData("<html>Welcome</html>")]
    [InlineData("{}")]
    [InlineData("""{"id":"other","status":"stored"}""")]
    public async Task Run_ServerIsNoWorker_DeletesNothingAndStopsSending(string answer)
    {
        for (int i = 0; i < 3; i++)
        {
            await WriteAsync($"m-{i}");
        }

        await using FakeService server = await FakeService.StartAsync(200, answer);

        RedriveResult result = await RunAsync(server);

        (result.Found, result.Sent, result.LeftCount).ShouldBe((1, 0, 1));
        result.Ended.ShouldNotBeNull().ShouldEndWith("2 more dead letter(s) were not tried.");
        server.Requests.Count.ShouldBe(1);
        _store.Letters.List().Count.ShouldBe(3);
    }

    [Fact]
    public async Task Run_BodyIsMissing_SaysSoAndSendsTheOthers()
    {
        File.Delete(await WriteAsync("m-1"));
        await WriteAsync("m-2");
        await using FakeService worker = await StartAsync(Stored);

        await ShouldLeaveOneAsync(worker, ".body file is missing");
    }

    [Fact]
    public async Task Run_BodyIsMissingInADryRunWithBodies_SaysSoAndShowsTheOthers()
    {
        File.Delete(await WriteAsync("m-1"));
        await WriteAsync("m-2");
        using StringWriter output = new();
        RedriveRequest request = new(Reason: null, Max: 100, DryRun: true, "http://127.0.0.1:1", Route: null) { Bodies = true };

        RedriveResult result = await RunAsync(request, _folder.Path, output);

        (result.Found, result.LeftCount, result.IsComplete).ShouldBe((2, 1, false));
        result.Left.ShouldHaveSingleItem().ShouldContain("its .body file is missing. Restore it, or delete the .json file.");
        result.Notes.ShouldBeEmpty();
        output.ToString().ShouldContain("    body of m-2\n");
    }

    [Theory]
    [InlineData("")]
    [InlineData("{\"sourceId\":\"m-1\"")]
    [InlineData("null")]
    public async Task Run_RecordIsDamaged_SaysSoAndSendsTheOthers(string record)
    {
        await File.WriteAllTextAsync(Path.ChangeExtension(await WriteAsync("m-1"), ".json"), record, Token);
        await WriteAsync("m-2");
        await using FakeService worker = await StartAsync(Stored);

        await ShouldLeaveOneAsync(worker, "The record '");
    }

    [Theory]
    [InlineData("sourceId", "null", "\"sourceId\" is null")]
    [InlineData("source", "null", "\"source\" is null")]
    [InlineData("route", "null", "\"route\" is null")]
    [InlineData("reason", "null", "\"reason\" is null")]
    [InlineData("description", "null", "\"description\" is null")]
    [InlineData("route", "\".\"", "\"route\" is \".\" and must be the name of a route")]
    [InlineData("route", "\"a/b?c\"", "\"route\" is \"a/b?c\" and must be the name of a route")]
    [InlineData("attempts", "null", "is damaged")]
    [InlineData("lastSeen", "\"soon\"", "is damaged")]
    [InlineData("isPart", "\"no\"", "is damaged")]
    public async Task Run_FieldOfARecordIsDamaged_SaysSoAndSendsTheOthers(string field, string value, string why)
    {
        string path = Path.ChangeExtension(await WriteAsync("m-1"), ".json");
        JsonObject record = JsonNode.Parse(await File.ReadAllTextAsync(path, Token))!.AsObject();
        record[field] = JsonNode.Parse(value);
        await File.WriteAllTextAsync(path, record.ToJsonString(), Token);
        await WriteAsync("m-2");
        await using FakeService worker = await StartAsync(Stored);

        await ShouldLeaveOneAsync(worker, why);
    }

    [Theory]
    [InlineData(".body")]
    [InlineData(".json")]
    public async Task Run_FileIsASymbolicLink_IsNotFollowed(string extension)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links need a privilege there.");
        string path = Path.ChangeExtension(await WriteAsync("m-1"), extension);
        await WriteAsync("m-2");
        File.Move(path, _folder["elsewhere"]);
        File.CreateSymbolicLink(path, _folder["elsewhere"]);
        await using FakeService worker = await StartAsync(Stored);

        await ShouldLeaveOneAsync(worker, "is a symbolic link, which is not followed");

        worker.Requests.ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Run_AnotherProcessDeletesSomeMeanwhile_ContinuesAndCountsThem()
    {
        for (int i = 0; i < 4; i++)
        {
            await WriteAsync($"m-{i}");
        }

        await using FakeService worker = await StartAsync(id =>
        {
            // As a second redrive would: the current one, and two that were not reached yet.
            foreach (string name in _store.Letters.List().Where(name => !name.Contains("m-3")))
            {
                StoredDeadLetter letter = _store.Letters.Find(name)!;
                _store.Letters.Delete(letter, _store.Letters.ReadBody(letter));
            }

            return Stored(id);
        });

        RedriveResult result = await RunAsync(worker);

        (result.Found, result.Sent, result.IsComplete).ShouldBe((2, 2, true));
        result.Notes.ShouldHaveSingleItem().ShouldStartWith("2 dead letter(s) were deleted by another process");
    }

    [Fact]
    public async Task Run_WorkerDeadLettersTheMessageAgain_IsNotSentAgain()
    {
        await WriteAsync("m-1");
        await using FakeService worker = await StartAsync(id =>
        {
            // Another reason, so a folder that is listed later.
            Write(id, "too-large");
            return Refused(id);
        });

        RedriveResult result = await RunAsync(worker);

        (result.Found, result.Sent, result.LeftCount).ShouldBe((1, 0, 1));
        worker.Requests.Count.ShouldBe(1);
        _store.Letters.List().Count.ShouldBe(2);
    }

    [Fact]
    public async Task Run_WorkerRefuses_ListsTwentyWithTheReasonAndSaysThatABodyMayBeEdited()
    {
        for (int i = 0; i < 23; i++)
        {
            await WriteAsync($"m-{i:d2}");
        }

        await using FakeService worker = await StartAsync(Refused);

        RedriveResult result = await RunAsync(worker);

        (result.Found, result.Sent, result.LeftCount, result.Left.Count).ShouldBe((23, 0, 23, 20));
        result.Left.ShouldAllBe(line => line.StartsWith("malformed-json/20260101/m-") && line.EndsWith("422 dead-lettered: malformed-json: Byte 3."));
        result.Notes.ShouldHaveSingleItem().ShouldContain("may be edited");
        result.Ended.ShouldBeNull();
    }

    [Fact]
    public async Task Run_EditedBody_IsSentAsItIsNow()
    {
        await File.WriteAllTextAsync(await WriteAsync("m-1"), "edited", Token);
        await using FakeService worker = await StartAsync(Stored);

        (await RunAsync(worker)).IsComplete.ShouldBeTrue();

        Encoding.UTF8.GetString(worker.Requests.ShouldHaveSingleItem().Body).ShouldBe("edited");
        _store.Letters.List().ShouldBeEmpty();
    }

    [Fact]
    public async Task Run_BodyIsEditedWhileItIsSent_StaysAndIsReported()
    {
        string path = await WriteAsync("m-1");
        await using FakeService worker = await StartAsync(id =>
        {
            File.WriteAllText(path, "edited");
            return Stored(id);
        });

        RedriveResult result = await RunAsync(worker);

        (result.Found, result.Sent, result.LeftCount).ShouldBe((1, 0, 1));
        result.Left.ShouldHaveSingleItem().ShouldContain("was changed while it was sent");
        (await File.ReadAllTextAsync(path, Token)).ShouldBe("edited");
        _store.Letters.List().ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Run_UnknownReason_ListsTheExistingReasons()
    {
        await WriteAsync("m-1");
        await WriteAsync("m-2");
        Write("m-3", "too-large");
        await using FakeService worker = await StartAsync(Stored);

        RedriveResult result = await RunAsync(worker, reason: "nosuch");

        result.Ended.ShouldNotBeNull().ShouldEndWith("malformed-json (2), too-large (1).");
        worker.Requests.ShouldBeEmpty();
    }

    [Fact]
    public async Task Run_AReasonBehindManyOthers_IsReached()
    {
        for (int i = 0; i < 120; i++)
        {
            Write($"other-{i}", "a-reason");
        }

        await WriteAsync("m-1");
        await using FakeService worker = await StartAsync(Stored);

        RedriveResult result = await RunAsync(worker, reason: "malformed-json");

        (result.Found, result.Sent, result.IsComplete).ShouldBe((1, 1, true), result.Ended);
    }

    [Fact]
    public async Task Run_Interrupted_ReportsItsCounts()
    {
        using CancellationTokenSource signal = new();
        for (int i = 0; i < 5; i++)
        {
            await WriteAsync($"m-{i}");
        }

        await using FakeService worker = await StartAsync(id =>
        {
            if (id == "m-2")
            {
                signal.Cancel();
            }

            return Stored(id);
        });

        RedriveResult result = await RunAsync(worker, stop: signal.Token);

        result.Sent.ShouldBeInRange(2, 3);
        result.Ended.ShouldBe(RedriveProgress.Interrupted);
        _store.Letters.List().Count.ShouldBe(5 - result.Sent);
    }

    [Fact]
    public async Task Run_FolderWithoutItsVolume_IsAnErrorAndNotNothingToDo()
    {
        await using FakeService worker = await StartAsync(Stored);
        Directory.CreateDirectory(_folder["mount-point"]);

        StartupException exception = await Should.ThrowAsync<StartupException>(RunAsync(worker, folder: _folder["mount-point"]));

        exception.Message.ShouldContain("no worker has kept any there. Mount its volume");
        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
    }

    [Fact]
    public async Task Run_NoSuchFolder_SaysWhichAndHowToNameIt()
    {
        await using FakeService worker = await StartAsync(Stored);

        StartupException missing = await Should.ThrowAsync<StartupException>(RunAsync(worker, folder: _folder["nosuch"]));

        missing.ExitCode.ShouldBe(ExitCodes.Unavailable);
        missing.Message.ShouldContain(_folder["nosuch"]);
        missing.Message.ShouldContain("--DeadLetters:Path");
    }

    [Theory]
    [InlineData("archvie")]
    [InlineData(null)]
    public async Task Run_WorkerHasNoSuchRoute_IsAUsageErrorWhereItWasNamed(string? route)
    {
        await WriteAsync("m-1");
        await using FakeService worker = await FakeService.StartAsync(404, """{"error":"unknown-route","message":"There is no such route."}""");
        Task<RedriveResult> run = RunAsync(new RedriveRequest(null, Max: 100, DryRun: false, worker.Address.ToString(), route), _folder.Path, TextWriter.Null);

        if (route is null)
        {
            (await run).LeftCount.ShouldBe(1);
        }
        else
        {
            StartupException unknown = await Should.ThrowAsync<StartupException>(run);
            (unknown.ExitCode, unknown.Message).ShouldBe((ExitCodes.Usage, "--route archvie: 404 unknown-route: There is no such route."));
        }

        _store.Letters.List().ShouldHaveSingleItem();
    }

    private static (int Status, string Body) Stored(string id) => (200, $$"""{"id":"{{id}}","status":"stored"}""");

    private static (int Status, string Body) Refused(string id) =>
        (422, $$"""{"id":"{{id}}","status":"dead-lettered","reason":"malformed-json","description":"Byte 3."}""");

    private static Task<FakeService> StartAsync(Func<string, (int Status, string Body)> answer) => FakeService.StartAsync((context, _) =>
    {
        (int status, string body) = answer(context.Features.Get<FakeRequest>()!.Headers["X-Message-Id"]);
        return FakeService.AnswerAsync(context, status, body);
    });

    private async Task ShouldLeaveOneAsync(FakeService worker, string why)
    {
        RedriveResult result = await RunAsync(worker);

        (result.Found, result.Sent, result.LeftCount, result.Ended).ShouldBe((2, 1, 1, null));
        result.IsComplete.ShouldBeFalse();
        string line = result.Left.ShouldHaveSingleItem();
        line.ShouldStartWith("malformed-json/20260101/m-1~");
        line.ShouldContain(why);
        _store.Letters.List().ShouldHaveSingleItem().ShouldContain("m-1");
    }

    private Task<RedriveResult> RunAsync(FakeService server, string? reason = null, string? folder = null, CancellationToken stop = default) =>
        RunAsync(new RedriveRequest(reason, Max: 100, DryRun: false, server.Address.ToString(), Route: null), folder ?? _folder.Path, TextWriter.Null, stop);

    private static Task<RedriveResult> RunAsync(RedriveRequest request, string folder, TextWriter output, CancellationToken stop = default)
    {
        IConfigurationRoot configuration = new ConfigurationBuilder()
            .AddInMemoryCollection([KeyValuePair.Create("DeadLetters:Path", (string?)folder)])
            .Build();
        return new RedriveCatalog(FakeFeatures.Of([new HttpSourceFeature()], [], [])).RunAsync(
            "folder", configuration, request, new CommandServices(TimeProvider.System, output, TextWriter.Null), stop);
    }

    private string Write(string id, string reason, bool isPart = false, Dictionary<string, string>? attributes = null)
    {
        DeadLetter letter = new()
        {
            SourceId = id,
            Source = "test",
            Route = "archive",
            Reason = reason,
            Description = "test",
            Attempts = 1,
            FirstSeen = new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero),
            LastSeen = new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero),
            IsPart = isPart,
            Attributes = attributes ?? [],
        };
        return _store.WriteAsync(letter, Encoding.UTF8.GetBytes($"body of {id}"), CancellationToken.None).AsTask().GetAwaiter().GetResult();
    }

    private Task<string> WriteAsync(string id, bool isPart = false) => Task.FromResult(Write(id, "malformed-json", isPart));
}
