using System.Globalization;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;

namespace Integration.Tests.Profiling;

/// <summary>With <c>--explain</c> the harness runs two processes, which its caller signals as one.</summary>
public sealed partial class HarnessSignalTests
{
    public HarnessSignalTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "needs POSIX signals and /proc");

    [Theory]
    [InlineData(ProcessSignal.Interrupt, 130)]
    [InlineData(ProcessSignal.Terminate, 143)]
    internal async Task Signal_AtAStop_EndsBothWithTheChildsCode(ProcessSignal signal, int exitCode)
    {
        await using HarnessProcess harness = HarnessProcess.Start(["--explain"], pressEnter: false);
        int measured = await MeasuredAsync(harness);

        await harness.SignalAsync(signal);

        (await harness.WaitForExitAsync()).ShouldBe(exitCode);
        await EndedAsync(measured);
    }

    [Fact]
    public async Task Kill_CollectingProcess_EndsTheMeasuredOne()
    {
        await using HarnessProcess harness = HarnessProcess.Start(["--explain"], pressEnter: false);
        int measured = await MeasuredAsync(harness);
        measured.ShouldNotBe(harness.Id);

        harness.Kill();

        await EndedAsync(measured);
    }

    [GeneratedRegex("process (?<id>[0-9]+);", RegexOptions.ExplicitCapture | RegexOptions.NonBacktracking)]
    private static partial Regex ProcessId { get; }

    private static async Task<int> MeasuredAsync(HarnessProcess harness)
    {
        CapturedLine stop = await harness.WaitForLineAsync(@"^\[before publishing\]");
        return int.Parse(ProcessId.Match(stop.Text).Groups["id"].ValueSpan, CultureInfo.InvariantCulture);
    }

    private static async Task EndedAsync(int processId)
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(20));
        while (File.Exists($"/proc/{processId}/stat")
            && !(await File.ReadAllTextAsync($"/proc/{processId}/stat", limit.Token)).Contains(") Z ", StringComparison.Ordinal))
        {
            await Task.Delay(20, limit.Token);
        }
    }
}
