using System.Diagnostics;
using System.Globalization;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;

namespace Integration.Tests.Worker;

/// <summary>The demo, the first command of a new user, and the processor time of an idle daemon.</summary>
public sealed partial class DemoTests
{
    private const long MaxResidentBytes = 120L << 20;

    // The documented limit is 1 %. This test is not timed, so it fails only for a busy loop.
    private const double MaxIdleCpu = 0.05;

    [Fact]
    public async Task Demo_Once_StoresAThousandObjectsAndExits0()
    {
        await using WorkerProcess worker = WorkerProcess.Start([.. RunningWorker.CommonArguments, "--demo", "1000", "--once"]);

        (await worker.WaitForExitAsync()).ShouldBe(0, worker.Output.Describe());

        string data = Path.Combine(worker.WorkingDirectory, "data");
        string[] objects = [.. Directory.EnumerateFiles(data, "*.json", SearchOption.AllDirectories)];
        objects.Length.ShouldBe(1_000);
        objects.ShouldAllBe(path => new FileInfo(path).Length > 100);
        Directory.EnumerateFiles(Path.Combine(data, ".tmp")).ShouldBeEmpty();
        worker.Output.Describe().ShouldContain("Stored          1,000 messages");
        worker.Output.Describe().ShouldContain("AWS calls       none");
    }

    [Fact]
    public async Task Demo_IdleDaemonAfterwards_UsesLittleProcessorTimeAndMemory()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs /proc");
        await using RunningWorker worker = await RunningWorker.StartAsync(["--demo", "1000"]);
        await worker.Process.WaitForLineAsync("The worker stays up");

        // The minimum of three windows: a busy loop is in each of them, other work of the runtime is not.
        double cpu = double.MaxValue;
        for (int window = 0; window < 3 && cpu >= MaxIdleCpu; window++)
        {
            TimeSpan before = CpuTime(worker.Process.Id);
            var watch = Stopwatch.StartNew();
            await Task.Delay(TimeSpan.FromSeconds(10));
            cpu = Math.Min(cpu, (CpuTime(worker.Process.Id) - before) / watch.Elapsed);
        }

        long resident = ResidentBytes(worker.Process.Id);

        TestContext.Current.TestOutputHelper?.WriteLine($"IDLE: {cpu:p2} of one core, {resident / 1048576.0:f1} MiB resident");
        (await worker.StopAsync()).ShouldBe(0);
        resident.ShouldBeLessThan(MaxResidentBytes);
        cpu.ShouldBeLessThan(MaxIdleCpu);
    }

    [Fact]
    public async Task Run_NothingConfigured_WritesEveryEventAsOneLineWithItsTimeInUtc()
    {
        WorkerCommand result = await WorkerCommand.RunAsync([.. RunningWorker.CommonArguments, "--demo", "1", "--once"]);

        result.ExitCode.ShouldBe(0, result.Text);
        string[] events = [.. result.Text.Split('\n').Where(line => line.Contains("info: ", StringComparison.Ordinal))];
        events.Length.ShouldBeGreaterThan(2, result.Text);
        events.ShouldAllBe(line => Event().IsMatch(line));
    }

    [Fact]
    public async Task Run_JsonFormatterConfigured_WritesEveryLogLineAsJson()
    {
        WorkerCommand result =
            await WorkerCommand.RunAsync([.. RunningWorker.CommonArguments, "--demo", "1", "--once", "--Logging:Console:FormatterName=json"]);

        result.ExitCode.ShouldBe(0, result.Text);
        string[] lines = [.. result.Text.Split('\n').Where(line => line.StartsWith('{'))];
        lines.Length.ShouldBeGreaterThan(2, result.Text);
        lines.ShouldAllBe(line => JsonNode.Parse(line, null, default)!["Message"] != null);
        result.Text.ShouldNotContain("info: ");
    }

    private static TimeSpan CpuTime(int processId)
    {
        // proc(5): fields 14 and 15 of stat are user and system time in ticks of 10 ms; the name before them may hold blanks.
        string stat = File.ReadAllText($"/proc/{processId}/stat");
        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        long ticks = long.Parse(fields[11], CultureInfo.InvariantCulture) + long.Parse(fields[12], CultureInfo.InvariantCulture);
        return TimeSpan.FromMilliseconds(10 * ticks);
    }

    private static long ResidentBytes(int processId)
    {
        string line = File.ReadLines($"/proc/{processId}/status").Single(line => line.StartsWith("VmRSS:", StringComparison.Ordinal));
        return 1024 * long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture);
    }

    [GeneratedRegex(@"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info: [\w.]+\[\d{4}\] \S")]
    private static partial Regex Event();
}
