using System.Net;
using System.Text;
using System.Text.Json;
using Integration.Tests.Processes;
using Integration.Tests.Worker;

namespace Integration.Tests.Observability;

/// <summary><c>worker dead-letters</c> against a running worker.</summary>
public sealed class DeadLettersCommandTests
{
    private const string Token = "a-token-of-the-tests";
    private const string Message = """{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"corrected"}""";

    [Fact]
    public async Task Commands_ListShowDiscardAndRedrive()
    {
        string folder = Directory.CreateTempSubdirectory("letters-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        for (int i = 0; i < 3; i++)
        {
            (await worker.PostAsync(Encoding.UTF8.GetBytes($"{{\u001b[2J{i}"))).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        }

        (await worker.PostAsync("""{"Product":"p"}"""u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);

        string[] names = await NamesAsync("list");
        names.Length.ShouldBe(4);
        (await NamesAsync("list", "--max", "2")).ShouldBe(names[..2]);
        string[] malformed = await NamesAsync("list", "--reason", "malformed-json", "--route", "archive");
        malformed.ShouldBe(names.Where(name => name.StartsWith("malformed-json/", StringComparison.Ordinal)));
        malformed.Length.ShouldBe(3);
        (await RunAsync(0, "groups")).Text.ShouldMatch(
            @"(?m)^ +3  archive  malformed-json  \S+ to \S+\n +1  archive  missing-id  (.|\n)*^4 dead letter\(s\)");
        JsonDocument.Parse((await RunAsync(0, "list", "--json", "--reason", "missing-id")).Output).RootElement.GetProperty("letters")[0]
            .GetProperty("name")
            .GetString()
            .ShouldBe(names.Except(malformed).Single());

        // Of a body, what controls a terminal is escaped.
        string shown = (await RunAsync(0, "show", "--name", malformed[0])).Text;
        shown.ShouldMatch($@"(?m)^Name +{malformed[0]}\n(.|\n)*^Reason +malformed-json\n(.|\n)*^Body, 6 bytes:\n\{{\\u001b\[2J");
        (await RunAsync(0, "show", "--name", malformed[0], "--body")).Text.ShouldMatch("^{\u001b\\[2J[0-2]$");

        (await RunAsync(0, "discard", "--all", "--dry-run")).Text.ShouldContain("4 found; nothing was changed.");
        (await RunAsync(0, "discard", "--reason", "malformed-json", "--max", "1")).Text.ShouldContain("1 found, 1 discarded, 0 left as they were.");
        string[] left = await NamesAsync("list", "--reason", "malformed-json");
        left.Length.ShouldBe(2);

        // The body is corrected in its file.
        await File.WriteAllTextAsync(Path.Combine(folder, "letters", $"{left[0]}.body"), Message, TestContext.Current.CancellationToken);
        (await RunAsync(0, "redrive", "--name", left[0])).Text.ShouldContain("1 found, 1 redriven, 0 left as they were.");

        // What stays is named, and shows in the exit code.
        WorkerCommand again = await RunAsync(1, "redrive", "--reason", "malformed-json", "--rate", "1000");
        again.Text.ShouldContain("1 found, 0 redriven, 1 left as they were.");
        again.Error.ShouldContain($"{left[1]}: 422 dead-lettered: malformed-json");
        (await RunAsync(1, "redrive", "--name", left[0])).Text.ShouldContain("0 found");
        WorkerCommand none = await RunAsync(1, "discard", "--name", "nope");
        none.Text.ShouldContain("0 found, 0 discarded, 0 left as they were.");
        none.Error.ShouldContain("one of the names is that of no dead letter");

        async Task<string[]> NamesAsync(params string[] arguments) =>
            [.. (await RunAsync(0, arguments)).Output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split("  ")[0])];

        async Task<WorkerCommand> RunAsync(int exitCode, params string[] arguments)
        {
            WorkerCommand run = (await WorkerCommand.RunAsync(
                ["dead-letters", .. arguments, "--url", worker.Url.ToString(), $"--Hosting:Token={Token}"])).ShouldHaveNoStackTrace();
            run.ExitCode.ShouldBe(exitCode, run.Text);
            return run;
        }
    }

    [Fact]
    public async Task Refusals_SayWhatToDo()
    {
        string folder = Directory.CreateTempSubdirectory("letters-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        string url = worker.Url.ToString();

        await FailsAsync(69, "No worker answers at http://127.0.0.1:1/", "list", "--url", "http://127.0.0.1:1");
        await FailsAsync(
            77, "give its token, in the variable Hosting__Token. Its answer: "
                + "Send the worker's token (Hosting:Token) as Authorization: Bearer. (401 token-required)", "redrive", "--all", "--url", url);
        await FailsAsync(77, "(401 token-wrong)", "discard", "--all", "--url", url, "--Hosting:Token=another-token-of-tests");
        await FailsAsync(64, "needs exactly one of: --name, --reason, or --all.", "redrive", "--url", url);
        await FailsAsync(64, "needs exactly one of", "discard", "--all", "--reason", "malformed-json", "--url", url);
        await FailsAsync(
            1, "There is no dead letter with this name; it may have been redriven or deleted. (404 no-such-dead-letter)", "show", "--name", "no/such/letter",
            "--url", url);

        await using RunningWorker without = await RunningWorker.StartAsync([.. Settings(Directory.CreateTempSubdirectory("letters-").FullName)]);
        await FailsAsync(
            77, "Set Hosting:Token, and send it as Authorization: Bearer. (403 token-not-set)", "discard", "--all", "--url", without.Url.ToString());

        static async Task FailsAsync(int exitCode, string error, params string[] arguments)
        {
            WorkerCommand run = (await WorkerCommand.RunAsync(["dead-letters", .. arguments])).ShouldHaveNoStackTrace();
            run.ExitCode.ShouldBe(exitCode, run.Text);
            run.Error.ShouldContain(error);
        }
    }

    [Fact]
    public async Task Run_WhileAnotherRuns_IsRefusedAndASignalStopsIt()
    {
        string folder = Directory.CreateTempSubdirectory("letters-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        for (int i = 0; i < 30; i++)
        {
            (await worker.PostAsync(Encoding.UTF8.GetBytes($"{{{i}"))).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        }

        string[] target = ["--url", worker.Url.ToString(), $"--Hosting:Token={Token}"];
        await using WorkerProcess slow = WorkerProcess.Start(["dead-letters", "redrive", "--all", "--rate", "1", .. target]);
        await Eventually.BecomesTrueAsync(
            async () => JsonDocument.Parse(await worker.ReadPageAsync("/api/v1/redrive")).RootElement.GetProperty("state").GetString() == "running",
            "the redrive runs");
        WorkerCommand second = await WorkerCommand.RunAsync(["dead-letters", "discard", "--all", .. target]);
        second.ExitCode.ShouldBe(1, second.Text);
        second.Error.ShouldContain("(409 redrive-running)");

        await slow.SignalAsync(ProcessSignal.Interrupt);
        WorkerCommand stopped = await WorkerCommand.CaptureAsync(slow);
        stopped.ExitCode.ShouldBe(1, stopped.Text);
        stopped.Error.ShouldContain("stopped on request; the remaining dead letters stay as they are.");
    }

    private static Task<RunningWorker> StartAsync(string folder) => RunningWorker.StartAsync([.. Settings(folder), $"--Hosting:Token={Token}"]);

    private static string[] Settings(string folder) =>
        ["--Routes:archive:Source=Http", "--Routes:archive:Sink=Directory", $"--Sinks:Directory:Path={Path.Combine(folder, "objects")}",
            $"--DeadLetters:Path={Path.Combine(folder, "letters")}"];
}
