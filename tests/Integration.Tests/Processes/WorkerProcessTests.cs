namespace Integration.Tests.Processes;

public sealed class WorkerProcessTests
{
    private const string Canary = "WORKER_PROCESS_TESTS_CANARY";

    [Fact]
    public async Task Start_Version_EndsAndDeletesItsFolder()
    {
        string folder;
        await using (WorkerProcess worker = WorkerProcess.Start(["--version"]))
        {
            folder = worker.WorkingDirectory;
            Directory.Exists(folder).ShouldBeTrue();
            (await worker.WaitForExitAsync()).ShouldBe(0);
        }

        Directory.Exists(folder).ShouldBeFalse();
    }

    [Fact]
    public async Task Start_Daemon_SeesOnlyTheGivenEnvironment()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads /proc");
        Environment.SetEnvironmentVariable(Canary, "of the test process");
        await using WorkerProcess worker = StartDaemon(new Dictionary<string, string>(StringComparer.Ordinal) { ["GIVEN"] = "yes" });
        await worker.WaitForLineAsync("receiving from");

        string[] environment = (await File.ReadAllTextAsync($"/proc/{worker.Id}/environ")).Split('\0');

        environment.ShouldContain("GIVEN=yes");
        environment.ShouldNotContain(variable => variable.StartsWith(Canary, StringComparison.Ordinal));
    }

    [Fact]
    public async Task SignalAsync_TerminateDaemon_ExitsWithZero()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        await using WorkerProcess worker = StartDaemon();
        await worker.WaitForLineAsync("receiving from");

        await worker.SignalAsync(ProcessSignal.Terminate);

        (await worker.WaitForExitAsync()).ShouldBe(0);
    }

    [Fact]
    public async Task Kill_Daemon_ExitsBySignalAndStartsAgainOnItsFolder()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        await using WorkerProcess first = StartDaemon();
        await first.WaitForLineAsync("receiving from");
        first.Kill();
        (await first.WaitForExitAsync()).ShouldBe(128 + 9);

        await using WorkerProcess second = StartDaemon(workingDirectory: first.WorkingDirectory);
        await second.WaitForLineAsync("receiving from");
        second.WorkingDirectory.ShouldBe(first.WorkingDirectory);
    }

    private static WorkerProcess StartDaemon(Dictionary<string, string>? environment = null, string? workingDirectory = null) =>
        WorkerProcess.Start(["--Hosting:Url=http://127.0.0.1:0"], environment, workingDirectory);
}
