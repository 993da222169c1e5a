using System.Net;
using System.Text;
using System.Text.Json.Nodes;
using Integration.Tests.Processes;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.CommandLine;

/// <summary><c>worker status</c> of a running worker.</summary>
public sealed class StatusTests
{
    private const StringSplitOptions Cells = StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries;

    private static readonly byte[] Message =
        """{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m"}"""u8.ToArray();

    [Fact]
    public async Task Status_PrintsALinePerRoute_AndTheProblemsWithWhatToDo()
    {
        string folder = Directory.CreateTempSubdirectory("status-").FullName;
        await using RunningWorker worker = await StartAsync(folder, "--Sources:Http:MaxMessageBytes=1000");
        (await worker.PostAsync(Message)).Status.ShouldBe(HttpStatusCode.OK);
        (await worker.PostAsync("{"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        (await worker.PostAsync(new byte[1_001])).Status.ShouldBe(HttpStatusCode.RequestEntityTooLarge);

        WorkerCommand status = null!;
        await Eventually.BecomesTrueAsync(
            async () =>
            {
                status = await WorkerCommand.RunAsync("status", "--url", worker.Url.ToString());
                return status.Text.Contains("dead letter waits", StringComparison.Ordinal);
            },
            "the dead letter is counted");

        status.ExitCode.ShouldBe(0, status.Error);
        status.Text.ShouldNotContain('\u001b');
        string[] lines = status.Text.Split('\n');
        CellsOf("Route  ").ShouldBe(["Route", "State", "Received", "Done", "In flight", "Held", "Returned", "Dead letters"]);
        CellsOf("archive  ").ShouldBe(["archive", "ok", "2", "1", "0/1000", "0", "0", "1"]);
        status.Text.ShouldContain(" dead-letters redrive --reason malformed-json --dry-run");

        string[] CellsOf(string begin) => lines.Single(line => line.StartsWith(begin, StringComparison.Ordinal)).Split("  ", Cells);
    }

    [Fact]
    public async Task Json_IsTheApisAnswer()
    {
        await using RunningWorker worker = await StartAsync(Directory.CreateTempSubdirectory("status-").FullName);

        WorkerCommand status = await WorkerCommand.RunAsync("status", "--json", "--url", worker.Url.ToString());

        status.ExitCode.ShouldBe(0, status.Error);
        JsonNode.Parse(status.Text)!["routes"]![0]!["name"]!.GetValue<string>().ShouldBe("archive");
    }

    [Fact]
    public async Task ARouteThatIsNotReady_IsExitCode1_AndItsTextCannotControlATerminal()
    {
        await using RunningWorker worker = await StartAsync(Directory.CreateTempSubdirectory("status-").FullName);
        using HttpClient client = new() { BaseAddress = worker.Url };
        JsonObject state = JsonNode.Parse(await client.GetStringAsync("/api/v1/stats"))!.AsObject();
        JsonObject route = state["routes"]![0]!.AsObject();
        route["name"] = new string('n', 100);
        route["isReady"] = false;
        route["problem"] = "The sink is gone";
        state["problems"] = JsonNode.Parse("""
            [{"event":1232,"severity":"warning","text":"\u001b[2J","advice":"Look at it.","setting":"Sinks:Directory"}]
            """);
        await using StoredState failing = new(state.ToJsonString());

        WorkerCommand status = await WorkerCommand.RunAsync("status", "--url", failing.Url);

        status.ExitCode.ShouldBe(1, status.Text);
        status.Text.ShouldContain($"{new string('n', 31)}…  problem ");
        string.Join('|', status.Text.Split('\n').Select(static line => line.TrimEnd())).ShouldContain(
            "|\\u001b[2J|  Look at it.|  Sinks:Directory");

        state.Remove("http");
        await using StoredState other = new(state.ToJsonString());
        (await WorkerCommand.RunAsync("status", "--url", other.Url)).Error.ShouldContain("not a worker's state");
    }

    [Fact]
    public async Task NoWorkerAnswers_IsExitCode69()
    {
        WorkerCommand status = await WorkerCommand.RunAsync("status", "--url", $"http://127.0.0.1:{FreePort.Next()}");

        status.ExitCode.ShouldBe(69);
        status.ShouldHaveNoStackTrace().Error.ShouldContain("No worker answers");
    }

    [Fact]
    public async Task Output_IsClosed_TheCommandEnds()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs /dev/full");
        string folder = Directory.CreateTempSubdirectory("status-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        string program = string.Join(' ', WorkerProcess.Daemon());
        (string Command, int ExitCode)[] commands =
        [
            ($"status --url {worker.Url} | true", 0),
            ($"status --url {worker.Url} >&-", 0),
            ($"status --url {worker.Url} >/dev/full", 1),
            ($"redrive --dry-run --DeadLetters:Path={Path.Combine(folder, "letters")} | true", 0),
        ];

        foreach ((string command, int exitCode) in commands)
        {
            await using CapturedProcess shell = CapturedProcess.Start("/bin/bash", "-c", $"{program} {command}; exit ${{PIPESTATUS[0]}}");
            (await shell.WaitForExitAsync()).ShouldBe(exitCode, command);
        }
    }

    private static Task<RunningWorker> StartAsync(string folder, params IEnumerable<string> settings) => RunningWorker.StartAsync(
    [
        .. settings,
        "--Routes:archive:Source=Http",
        "--Routes:archive:Sink=Directory",
        $"--Sinks:Directory:Path={Path.Combine(folder, "objects")}",
        $"--DeadLetters:Path={Path.Combine(folder, "letters")}",
    ]);

    /// <summary>Answers the state of a worker, and to everything else that there is nothing.</summary>
    private sealed class StoredState : IAsyncDisposable
    {
        private readonly HttpListener _listener = new();
        private readonly Task _answering;

        public StoredState(string state)
        {
            Url = $"http://127.0.0.1:{FreePort.Next()}/";
            _listener.Prefixes.Add(Url);
            _listener.Start();
            _answering = AnswerAsync(Encoding.UTF8.GetBytes(state));
        }

        public string Url { get; }

        public async ValueTask DisposeAsync()
        {
            _listener.Close();
            await _answering;
        }

        private async Task AnswerAsync(byte[] state)
        {
            try
            {
                while (true)
                {
                    HttpListenerContext context = await _listener.GetContextAsync();
                    bool isState = context.Request.Url!.AbsolutePath == "/api/v1/stats";
                    context.Response.StatusCode = isState ? 200 : 404;
                    await context.Response.OutputStream.WriteAsync(isState ? state : """{"error":"unknown-path","message":"No such address."}"""u8.ToArray());
                    context.Response.Close();
                }
            }
            catch (Exception exception) when (exception is HttpListenerException or ObjectDisposedException)
            {
                // The test has ended.
            }
        }
    }
}
