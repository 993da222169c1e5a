namespace Integration.Tests.Processes;

public sealed class CapturedProcessTests
{
    private static readonly TimeSpan Brief = TimeSpan.FromMilliseconds(200);

    public CapturedProcessTests() => Assert.SkipWhen(OperatingSystem.IsWindows(), "needs a POSIX shell and signals");

    [Fact]
    public async Task WaitForLineAsync_LineOnEitherStream_ReturnsItWithItsOrigin()
    {
        await using CapturedProcess process = Shell("echo one; echo two >&2; echo three");

        CapturedLine two = await process.WaitForLineAsync("^two$");
        CapturedLine three = await process.WaitForLineAsync("thr.e");

        two.IsError.ShouldBeTrue();
        three.IsError.ShouldBeFalse();
        (await process.WaitForExitAsync()).ShouldBe(0);
        process.Output.Snapshot().Select(line => line.Text).ShouldBe(["one", "two", "three"], ignoreOrder: true);
    }

    [Fact]
    public async Task WaitForLineAsync_FromIndex_IgnoresEarlierLines()
    {
        await using CapturedProcess process = Shell("echo ready; echo ready; sleep 100");

        CapturedLine first = await process.WaitForLineAsync("ready");
        CapturedLine second = await process.WaitForLineAsync("ready", from: first.Index + 1);

        second.Index.ShouldBe(first.Index + 1);
    }

    [Fact]
    public async Task WaitForLineAsync_NoSuchLine_ThrowsWithTheOutput()
    {
        await using CapturedProcess process = Shell("echo something else; sleep 100");
        await process.WaitForLineAsync("something");

        TimeoutException exception = await Should.ThrowAsync<TimeoutException>(process.WaitForLineAsync("never", Brief));

        exception.Message.ShouldContain("something else");
    }

    [Fact]
    public async Task WaitForLineAsync_ProcessEnds_FailsBeforeItsTimeout()
    {
        await using CapturedProcess process = Shell("echo last words; exit 3");

        TimeoutException exception = await Should.ThrowAsync<TimeoutException>(process.WaitForLineAsync("never", TimeSpan.FromHours(1)));

        exception.Message.ShouldContain("last words");
        (await process.WaitForExitAsync()).ShouldBe(3);
    }

    [Fact]
    public async Task WaitForExitAsync_StillRunning_Throws()
    {
        await using CapturedProcess process = CapturedProcess.Start("sleep", "100");

        await Should.ThrowAsync<TimeoutException>(process.WaitForExitAsync(Brief));

        process.HasExited.ShouldBeFalse();
    }

    [Fact]
    public async Task Kill_ProcessThatIgnoresSigterm_Ends()
    {
        await using CapturedProcess process = Shell("trap '' TERM; echo ready; while :; do sleep 0.05; done");
        await process.WaitForLineAsync("ready");

        await process.SignalAsync(ProcessSignal.Terminate);
        await Should.ThrowAsync<TimeoutException>(process.WaitForExitAsync(Brief));
        process.Kill();

        (await process.WaitForExitAsync()).ShouldBe(128 + 9);
    }

    [Fact]
    public async Task SignalAsync_Terminate_RunsTheProcessesHandler()
    {
        await using CapturedProcess process = Shell("trap 'echo draining; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
        await process.WaitForLineAsync("ready");

        await process.SignalAsync(ProcessSignal.Terminate);

        (await process.WaitForExitAsync()).ShouldBe(0);
        process.Output.Snapshot()[^1].Text.ShouldBe("draining");
    }

    [Fact]
    public async Task SignalAsync_StopThenContinue_PausesTheOutput()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs /proc");
        string count = Path.Combine(Directory.CreateTempSubdirectory("stop-").FullName, "count");
        await using CapturedProcess process = Shell($"n=0; while :; do n=$((n+1)); echo tick $n; echo $n >> '{count}'; sleep 0.02; done");
        await process.WaitForLineAsync("tick 2");

        await process.SignalAsync(ProcessSignal.Stop);

        // The stop may come between a line and its count.
        int counted = File.ReadAllLines(count).Length;
        await process.WaitForLineAsync($"tick {counted}$");
        PosixSignals.IsStopped(process.Id).ShouldBe(true);
        File.ReadAllLines(count).Length.ShouldBe(counted);
        process.Output.Snapshot().Length.ShouldBeLessThanOrEqualTo(counted + 1);

        await process.SignalAsync(ProcessSignal.Continue);
        await process.WaitForLineAsync($"tick {counted + 2}$");
    }

    [Fact]
    public async Task DisposeAsync_RunningTree_KillsAllOfIt()
    {
        int child;
        await using (CapturedProcess process = Shell("sleep 100 & echo child $!; wait"))
        {
            CapturedLine line = await process.WaitForLineAsync("^child ");
            child = int.Parse(line.Text["child ".Length..]);
        }

        await EndedAsync(child);
    }

    private static CapturedProcess Shell(string script) => CapturedProcess.Start("/bin/sh", "-c", script);

    private static async Task EndedAsync(int processId)
    {
        using var limit = new CancellationTokenSource(CapturedProcess.DefaultTimeout);
        while (File.Exists($"/proc/{processId}/stat") && !File.ReadAllText($"/proc/{processId}/stat").Contains(") Z ", StringComparison.Ordinal))
        {
            await Task.Delay(10, limit.Token);
        }
    }
}
