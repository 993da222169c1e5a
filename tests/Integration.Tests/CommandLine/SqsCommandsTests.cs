using System.Net;
using System.Text;
using System.Text.Json.Nodes;
using Integration.Tests.Processes;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.CommandLine;

/// <summary><c>publish --to sqs</c> and <c>redrive --from sqs</c> as processes, against a server.</summary>
public sealed class SqsCommandsTests(AwsServer aws)
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Publish_Count_SendsThatManyDifferentMessages(bool isFifo)
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, isFifo: isFifo);

        WorkerCommand publish = await WorkerCommand.RunAsync(["publish", "--to", "sqs", "--count", "127", .. RunningWorker.SqsArguments(endpoint, queue)]);

        publish.ExitCode.ShouldBe(0, publish.Text);
        publish.Text.ShouldContain($"127 message(s) sent to {queue.Name}");
        List<SqsMessage> messages = await queue.DrainAsync();
        messages.Count.ShouldBe(127);
        messages.Select(message => JsonNode.Parse(message.Body)!["MessageId"]!.GetValue<string>()).Distinct(StringComparer.Ordinal).Count().ShouldBe(127);
    }

    [Fact]
    public async Task Publish_QueueIsMissing_Exits69AndSaysWhatToCheck()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint);

        WorkerCommand publish =
            await WorkerCommand.RunAsync(["publish", "--to", "sqs", .. RunningWorker.SqsArguments(endpoint, queue), "--Sources:Sqs:Queue=no-such-queue"]);

        publish.ExitCode.ShouldBe(69);
        publish.ShouldHaveNoStackTrace().Error.ShouldContain("Check the queue's name");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Redrive_DryRunThenReasonThenAll_MovesTheSelectedDeadLetters(bool isFifo)
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint, isFifo: isFifo);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, isFifo: isFifo, deadLetters: deadLetters);
        string[] sqs = [.. RunningWorker.SqsArguments(endpoint, queue)];
        for (int number = 0; number < 30; number++)
        {
            await deadLetters.SendAsync(
                $"{{\"n\":{number}}}", isFifo ? $"group-{number}" : null, attributes: Letter(number, number % 3 == 0 ? "too-large" : "malformed-json"));
        }

        WorkerCommand dryRun = await WorkerCommand.RunAsync(["redrive", "--from", "sqs", "--dry-run", "--bodies", .. sqs]);
        dryRun.ExitCode.ShouldBe(0, dryRun.Text);
        dryRun.Text.ShouldContain("30 dead letter(s) found; nothing was sent.");
        dryRun.Text.ShouldContain("  2026-03-01 10:00:00Z  Not what was expected.");
        dryRun.Text.ShouldContain("\n    {\"n\":29}\n");
        (await deadLetters.CountAsync()).ShouldBe(new SqsCounts(Visible: 30, InFlight: 0, Delayed: 0));

        WorkerCommand some = await WorkerCommand.RunAsync(["redrive", "--from", "sqs", "--reason", "too-large", .. sqs]);
        some.ExitCode.ShouldBe(0, some.Text);
        some.Text.ShouldContain("10 of 10 dead letter(s) redriven.");
        (await queue.CountAsync()).Visible.ShouldBe(10);
        (await deadLetters.CountAsync()).ShouldBe(new SqsCounts(Visible: 20, InFlight: 0, Delayed: 0));

        WorkerCommand all = await WorkerCommand.RunAsync(["redrive", "--from", "sqs", .. sqs]);
        all.ExitCode.ShouldBe(0, all.Text);
        all.Text.ShouldContain("20 of 20 dead letter(s) redriven.");
        (await deadLetters.CountAsync()).Total.ShouldBe(0);

        List<SqsMessage> back = await queue.DrainAsync();
        back.Select(message => message.Body).ShouldBe(Enumerable.Range(0, 30).Select(number => $"{{\"n\":{number}}}"), ignoreOrder: true);
        back.ShouldAllBe(message => message.Attributes.Count == 1 && message.Body == $"{{\"n\":{message.Attributes["trace"]}}}");
    }

    [Theory]
    [InlineData(nameof(ProcessSignal.Terminate))]
    [InlineData(nameof(ProcessSignal.Interrupt))]
    public async Task Redrive_Signal_PrintsItsCountsAndLeavesNothingHidden(string signal)
    {
        const int Letters = 100;
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await deadLetters.SendAllAsync(Enumerable.Range(0, Letters).Select(number => $"{{\"n\":{number}}}"));
        await using WorkerProcess redrive = WorkerProcess.Start(["redrive", "--from", "sqs", "--rate", "10", .. RunningWorker.SqsArguments(endpoint, queue)]);
        await queue.WaitForCountAsync(counts => counts.Visible >= 3);

        await redrive.SignalAsync(Enum.Parse<ProcessSignal>(signal));

        (await redrive.WaitForExitAsync()).ShouldBe(1);
        int sent = (await queue.CountAsync()).Total;
        (await deadLetters.CountAsync()).ShouldBe(new SqsCounts(Visible: Letters - sent, InFlight: 0, Delayed: 0));
        CapturedLine[] lines = redrive.Output.Snapshot();
        lines.ShouldContain(line => line.Text == $"{sent} of {sent} dead letter(s) redriven.");
        lines.ShouldContain(line => line.IsError && line.Text.Contains("interrupted by a signal"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Redrive_LettersOneByOne_AreRepairedInTheFolderAndStored(bool isFifo)
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint, isFifo: isFifo);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, isFifo: isFifo, deadLetters: deadLetters);
        ArchiveMessage[] large = [ArchiveMessage.Create("large-1", 2_000), ArchiveMessage.Create("large-2", 2_000)];
        foreach ((string id, string body) in (IEnumerable<(string, string)>)[.. large.Select(message => (message.Id, message.Text)), ("corrected", "{")])
        {
            // A group each: a dead-letter queue that is FIFO shows the first ones of a group only.
            await queue.SendAsync(body, isFifo ? $"g-{id}" : null, attributes: new Dictionary<string, string>(StringComparer.Ordinal) { ["tenant"] = "north" });
        }

        using QueueLetters letters =
            new("sqs", RunningWorker.SqsArguments(endpoint, queue), environment: null, async () => (await deadLetters.CountAsync()).Total);

        await (isFifo
            ? letters.RepairAsync(large, "{@attribute.tenant}/{@group:encode}/{MessageId}.json", id => $"north/g-{id}/{id}.json")
            : letters.RepairAsync(large, "{@attribute.tenant}/{MessageId}.json", id => $"north/{id}.json"));
    }

    /// <summary>The run ends within the stop of the worker: what is in the folder is no longer in the queue, and nothing stays hidden.</summary>
    [Fact]
    public async Task Move_ByAWorkerThatStops_EndsBetweenTwoDeadLetters()
    {
        const int Letters = 60;
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await deadLetters.SendAllAsync(Enumerable.Range(0, Letters).Select(number => $"{{\"n\":{number}}}"));
        using QueueLetters letters = new("sqs", [], environment: null, () => Task.FromResult(0));
        await using DirectoryUnderTest sink = new();
        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, $"--DeadLetters:Path={letters.Folder}",
                "--Hosting:Token=a-token-of-the-tests"]);
        using HttpClient client = new() { BaseAddress = worker.Url, DefaultRequestHeaders = { Authorization = new("Bearer", "a-token-of-the-tests") } };
        using StringContent order = new("""{"queue":{"route":"archive"},"all":true,"rate":50}""", Encoding.UTF8, "application/json");
        (await client.PostAsync("/api/v1/dead-letters/move", order)).StatusCode.ShouldBe(HttpStatusCode.Accepted);
        await Eventually.BecomesTrueAsync(() => Task.FromResult(DeadLetterFolder.Count(letters.Folder) >= 7), "some are in the folder");

        (await worker.StopAsync()).ShouldBe(0);

        int moved = DeadLetterFolder.Count(letters.Folder);
        moved.ShouldBeLessThan(Letters);
        (await deadLetters.CountAsync()).ShouldBe(new SqsCounts(Visible: Letters - moved, InFlight: 0, Delayed: 0));
    }

    [Fact]
    public async Task Redrive_ToFolderKilled_LosesNoDeadLetter()
    {
        const int Letters = 60;
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await deadLetters.SendAllAsync(Enumerable.Range(0, Letters).Select(number => $"{{\"n\":{number}}}"));
        using QueueLetters letters = new("sqs", [], environment: null, () => Task.FromResult(0));
        string[] move = ["redrive", "--from", "sqs", "--to", "folder", $"--DeadLetters:Path={letters.Folder}", .. RunningWorker.SqsArguments(endpoint, queue)];
        await using (WorkerProcess killed = WorkerProcess.Start([.. move, "--rate", "50"]))
        {
            await Eventually.BecomesTrueAsync(() => Task.FromResult(DeadLetterFolder.Count(letters.Folder) >= 7), "some are in the folder");
            await killed.SignalAsync(ProcessSignal.Kill);
            await killed.WaitForExitAsync();
        }

        int before = DeadLetterFolder.Count(letters.Folder);
        before.ShouldBeLessThan(Letters);
        await deadLetters.ExpireVisibilityAsync();
        WorkerCommand rest = await WorkerCommand.RunAsync(move);

        rest.ExitCode.ShouldBe(0, rest.Text);
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
        (await queue.CountAsync()).Total.ShouldBe(0);
        string[] kept = [.. DeadLetterFolder.Read(letters.Folder).Select(letter => System.Text.Encoding.UTF8.GetString(letter.Body))];
        kept.Distinct(StringComparer.Ordinal).ShouldBe(Enumerable.Range(0, Letters).Select(number => $"{{\"n\":{number}}}"), ignoreOrder: true);
        kept.Length.ShouldBeInRange(Letters, Letters + 1, "One was being moved.");
    }

    private static Dictionary<string, string> Letter(int number, string reason) => new(StringComparer.Ordinal)
    {
        ["trace"] = $"{number}",
        ["DeadLetterReason"] = reason,
        ["DeadLetterDetails"] =
            """
            {"sourceId":"first","source":"sqs","route":"archive","reason":"malformed-json","description":"Not what was expected.","attempts":1,
            "firstSeen":"2026-03-01T09:00:00+00:00","lastSeen":"2026-03-01T10:00:00+00:00"}
            """,
    };
}
