using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Net;
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
        await terminal.ShowsAsync(@"1 dead letter\(s\) wait, the oldest for");

        foreach (string file in Directory.GetFiles(Path.Combine(folder, "letters"), "*.*", SearchOption.AllDirectories))
        {
            File.Delete(file);
        }

        await Eventually.BecomesTrueAsync(async () => !(await terminal.ScreenAsync()).Contains("wait, the oldest", StringComparison.Ordinal), "no dead letter waits");
        string screen = await terminal.ScreenAsync();
        Regex.Count(screen, "archive +ok ").ShouldBe(1, screen);
        Regex.Count(screen, "redrive or delete").ShouldBe(0, screen);
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
        await Eventually.BecomesTrueAsync(async () => (once = await WorkerCommand.RunAsync("top", "--once", "--url", worker.Url.ToString())).Text.Contains("dead letter(s) wait", StringComparison.Ordinal), "the dead letter is counted");

        once.Text.ShouldContain("1 dead letter(s) wait, the oldest for");
        once.Text.ShouldContain("malformed-json 1");
        once.Text.ShouldContain("archive: Callers refused since the start: 413 too-large 3");
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
