using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.Observability;

/// <summary><c>worker top</c> in a real terminal, and printed once for a script.</summary>
public sealed class TopTests
{
    private static readonly byte[] Message = """{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m"}"""u8.ToArray();

    [Fact]
    public async Task Top_InATerminal_ShowsTheRouteAndReportsAStoppedWorker()
    {
        string folder = Directory.CreateTempSubdirectory("top-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        await using Terminal terminal = await Terminal.StartAsync(folder, "top", "--url", worker.Url.ToString());

        await terminal.ShowsAsync("archive +ok ");
        (await worker.PostAsync(Message)).Status.ShouldBe(HttpStatusCode.OK);
        (await worker.PostAsync("{"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);

        // Dead letters, slots in use.
        await terminal.ShowsAsync(@"archive +ok .* 1 +0/1000 ");
        await worker.StopAsync();
        await terminal.ShowsAsync("No worker answers");
        await terminal.ShowsAsync("Last state:");
        await terminal.RunAsync("send-keys", "C-c");
        await terminal.ShowsAsync("exit code 0");
    }

    [Fact]
    public async Task Top_KeyQ_EndsIt()
    {
        string folder = Directory.CreateTempSubdirectory("top-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        foreach (string key in (string[])["q", "Q"])
        {
            await using Terminal terminal = await Terminal.StartAsync(folder, "top", "--url", worker.Url.ToString());
            await terminal.ShowsAsync("archive +ok ");

            await terminal.RunAsync("send-keys", key);

            await terminal.ShowsAsync("exit code 0");

            // The screen is the one before the command, without a frame of it.
            (await terminal.ScreenAsync()).ShouldNotContain("archive");
        }
    }

    [Fact]
    public async Task Top_AShorterState_LeavesNoLineOfTheLongerOne()
    {
        string folder = Directory.CreateTempSubdirectory("top-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        await using Terminal terminal = await Terminal.StartAsync(folder, "top", "--url", worker.Url.ToString());
        await terminal.RunAsync("resize-window", "-x", "80", "-y", "30");
        (await worker.PostAsync("{"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        await terminal.ShowsAsync("1 dead letter waits, the oldest for");

        foreach (string file in Directory.GetFiles(Path.Combine(folder, "letters"), "*.*", SearchOption.AllDirectories))
        {
            File.Delete(file);
        }

        await Eventually.BecomesTrueAsync(async () => !(await terminal.ScreenAsync()).Contains("waits, the oldest", StringComparison.Ordinal), "no dead letter waits");
        string screen = await terminal.ScreenAsync();
        Regex.Count(screen, "archive +ok ").ShouldBe(1, screen);
        Regex.Count(screen, "redrive").ShouldBe(0, screen);
        screen.Split('\n').ShouldAllBe(line => line.Length <= 80, screen);
    }

    [Fact]
    public async Task Output_IsClosed_TheCommandEnds()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs /dev/full");
        string folder = Directory.CreateTempSubdirectory("top-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        string program = string.Join(' ', WorkerProcess.Daemon());
        (string Command, int ExitCode)[] commands =
        [
            ($"top --url {worker.Url} | head -n 5 >/dev/null", 0),
            ($"top --once --url {worker.Url} | true", 0),
            ($"top --url {worker.Url} >&-", 0),
            ($"top --url {worker.Url} >/dev/full", 1),
            ($"redrive --dry-run --DeadLetters:Path={Path.Combine(folder, "letters")} | true", 0),
        ];

        foreach ((string command, int exitCode) in commands)
        {
            await using CapturedProcess shell = CapturedProcess.Start("/bin/bash", "-c", $"{program} {command}; exit ${{PIPESTATUS[0]}}");
            (await shell.WaitForExitAsync()).ShouldBe(exitCode, command);
        }
    }

    [Fact]
    public async Task RefusedCallers_AndWaitingDeadLetters_AreShown()
    {
        string folder = Directory.CreateTempSubdirectory("top-").FullName;
        await using RunningWorker worker = await StartAsync(folder, "--Sources:Http:MaxMessageBytes=1000");
        (await worker.PostAsync("{"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        for (int i = 0; i < 3; i++)
        {
            (await worker.PostAsync(new byte[1_001])).Status.ShouldBe(HttpStatusCode.RequestEntityTooLarge);
        }

        WorkerCommand once = null!;
        await Eventually.BecomesTrueAsync(async () => (once = await WorkerCommand.RunAsync("top", "--once", "--url", worker.Url.ToString())).Text.Contains("dead letter waits", StringComparison.Ordinal), "the dead letter is counted");

        once.Text.ShouldContain("1 dead letter waits, the oldest for");
        once.Text.ShouldContain("malformed-json (1)");
        once.Text.ShouldContain(" dead-letters redrive --reason malformed-json --dry-run");
        once.Text.ShouldContain("Route archive: 3 HTTP requests were refused in the last 15 minutes, since ");
        once.Text.ShouldContain("By status and reason since the start: 413 too-large (3)");
        once.Text.ShouldContain("Send smaller messages");
    }

    [Fact]
    public async Task Once_WithPeers_ListsAllWorkers()
    {
        string folder = Directory.CreateTempSubdirectory("top-").FullName;
        await using RunningWorker other = await StartAsync(folder);
        await using RunningWorker worker = await RunningWorker.StartAsync(["--Routes:archive:Source=Http", "--Routes:archive:Sink=Memory", $"--DeadLetters:Path={Path.Combine(folder, "own")}", $"--Hosting:Peers={other.Url.Authority},127.0.0.1:{FreePort.Next()}"]);

        WorkerCommand once = await WorkerCommand.RunAsync("top", "--once", "--url", worker.Url.ToString());

        once.ExitCode.ShouldBe(0, once.Text);
        LineOf("this worker").ShouldContain("ready");

        // Rates are between two answers, of which a busy machine may delay the first for too long.
        await Eventually.BecomesTrueAsync(
            async () => Regex.IsMatch(LineOf(other.Url.Authority), @"ready +0\.0 +0\.0 +0") || (once = await WorkerCommand.RunAsync("top", "--once", "--url", worker.Url.ToString())).ExitCode != 0,
            "the rates of the other worker are known");
        LineOf(other.Url.Authority).ShouldMatch(@"ready +0\.0 +0\.0 +0");
        once.Text.ShouldContain("no answer");
        once.Text.ShouldContain("1 of 3 do not answer");

        string LineOf(string worker) => once.Text.Split('\n').Single(line => line.Contains(worker, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Worker_OfAnOlderVersion_IsShownWithoutWhatItDoesNotTell()
    {
        string folder = Directory.CreateTempSubdirectory("top-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        using HttpClient client = new() { BaseAddress = worker.Url };
        JsonObject state = JsonNode.Parse(await client.GetStringAsync("/api/v1/stats"))!.AsObject();
        JsonObject route = state["routes"]![0]!.AsObject();
        foreach (string later in (string[])["logLevels", "problems"])
        {
            state.Remove(later).ShouldBeTrue(later);
        }

        foreach (string later in (string[])["pause", "inDeadLetterQueue", "slowSink", "droppedSince", "lastDroppedAt", "lostAt", "deadLetterQueues", "problemEvent", "storesTogether", "lastDeadLetter"])
        {
            route.Remove(later).ShouldBeTrue(later);
        }

        await using OlderWorker older = new(state.ToJsonString());
        WorkerCommand once = await WorkerCommand.RunAsync("top", "--once", "--url", older.Url);

        once.ExitCode.ShouldBe(0, once.Text);
        once.Text.ShouldContain("Http → Archive → Directory");
        once.Text.ShouldContain("older than the command");

        // What every version tells is required.
        state.Remove("http");
        await using OlderWorker other = new(state.ToJsonString());
        (await WorkerCommand.RunAsync("top", "--once", "--url", other.Url)).Text.ShouldContain("not a worker's state");
    }

    [Fact]
    public async Task SlowSink_IsShownWithWhatToDo()
    {
        string folder = Directory.CreateTempSubdirectory("top-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        using HttpClient client = new() { BaseAddress = worker.Url };
        JsonObject state = JsonNode.Parse(await client.GetStringAsync("/api/v1/stats"))!.AsObject();
        state["problems"] = JsonNode.Parse("""
            [{"kind":"slow","tone":"warn","route":"archive","title":"Route archive: the sink Directory has been slow since 10:00:00 (2 min)","since":"2026-01-31T10:00:00Z","details":["In the hour before, p99 of a store was 20 ms."],
              "effect":"64 messages are in flight.","action":"Look at the load of the sink.","how":"Sinks:Directory\nIntake:Concurrency","docs":"docs/guides/alerts.md","event":1232,"docsLink":null,"eventLink":null,"letters":null}]
            """);
        await using OlderWorker slow = new(state.ToJsonString());

        WorkerCommand once = await WorkerCommand.RunAsync("top", "--once", "--url", slow.Url);

        once.ExitCode.ShouldBe(0, "A warning is not a failure.");
        string.Join('|', once.Text.Split('\n').Select(static line => line.TrimEnd())).ShouldContain(
            "|Route archive: the sink Directory has been slow since 10:00:00 (2 min)|  In the hour before, p99 of a store was 20 ms.|  64 messages are in flight.|  Look at the load of the sink.|  Sinks:Directory|  Intake:Concurrency");
    }

    [Fact]
    public async Task Once_PrintsTheRoutesForAScript()
    {
        string folder = Directory.CreateTempSubdirectory("top-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        (await worker.PostAsync(Message)).Status.ShouldBe(HttpStatusCode.OK);

        WorkerCommand once = await WorkerCommand.RunAsync("top", "--once", "--url", worker.Url.ToString());

        once.ExitCode.ShouldBe(0, once.Text);
        string[] cells = once.Text.Split('\n').Single(line => line.Contains("archive", StringComparison.Ordinal)).Split("  ", StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        cells[..3].ShouldBe(["archive", "ok", "Http → Archive → Directory"]);
        cells[5..8].ShouldBe(["1", "1", "0"]);
        once.Text.ShouldNotContain('\u001b');
    }

    private static Task<RunningWorker> StartAsync(string folder, params IEnumerable<string> settings) => RunningWorker.StartAsync(
        [.. settings, "--Routes:archive:Source=Http", "--Routes:archive:Sink=Directory", $"--Sinks:Directory:Path={Path.Combine(folder, "objects")}", $"--DeadLetters:Path={Path.Combine(folder, "letters")}"]);

    /// <summary>Answers the state of a worker, and to everything else that there is nothing.</summary>
    private sealed class OlderWorker : IAsyncDisposable
    {
        private readonly HttpListener _listener = new();
        private readonly Task _answering;

        public OlderWorker(string state)
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
                    await context.Response.OutputStream.WriteAsync(isState ? state : """{"error":"unknown-path","message":"There is no such address."}"""u8.ToArray());
                    context.Response.Close();
                }
            }
            catch (Exception exception) when (exception is HttpListenerException or ObjectDisposedException)
            {
                // The test has ended.
            }
        }
    }

    /// <summary>Its own tmux server with one window of 100 × 30 that runs a command.</summary>
    private sealed class Terminal : IAsyncDisposable
    {
        private readonly string _socket;

        private Terminal(string socket) => _socket = socket;

        public static async Task<Terminal> StartAsync(string folder, params IEnumerable<string> arguments)
        {
            if (!File.Exists("/usr/bin/tmux"))
            {
                RequiredServers.Missing("There is no /usr/bin/tmux: install Debian's package tmux.");
            }

            // A server that was told to end still has its socket for a moment.
            Terminal terminal = new(Path.Combine(folder, $"tmux-{Guid.NewGuid():n}"));
            await terminal.RunAsync(
                "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", $"{string.Join(' ', WorkerProcess.Daemon())} {string.Join(' ', arguments)}; echo \"exit code $?\"; exec sleep 600");
            return terminal;
        }

        public Task<string> ScreenAsync() => RunAsync("capture-pane", "-p");

        public async Task ShowsAsync([StringSyntax(StringSyntaxAttribute.Regex)] string pattern)
        {
            string screen = string.Empty;
            try
            {
                await Eventually.BecomesTrueAsync(async () => Regex.IsMatch(screen = await ScreenAsync(), pattern), $"the terminal shows {pattern}");
            }
            catch (TimeoutException exception)
            {
                throw new TimeoutException($"{exception.Message} It shows:\n{screen}", exception);
            }
        }

        public async Task<string> RunAsync(params IEnumerable<string> arguments)
        {
            using Process tmux = Process.Start(new ProcessStartInfo("/usr/bin/tmux", ["-S", _socket, .. arguments]) { RedirectStandardOutput = true, UseShellExecute = false, Environment = { ["TERM"] = "xterm-256color" } })!;
            string output = await tmux.StandardOutput.ReadToEndAsync();
            await tmux.WaitForExitAsync();
            tmux.ExitCode.ShouldBe(0, output);
            return output;
        }

        public async ValueTask DisposeAsync() => await RunAsync("kill-server");
    }
}
