using System.Text.RegularExpressions;
using Integration.Tests.Processes;

namespace Integration.Tests.Simulation;

/// <summary>A defect in the code under test fails its seed, and never ends the prover.</summary>
[Trait("Category", "Long")]
public sealed partial class SimulateCommandTests
{
    private static readonly TimeSpan WaitLimit = TimeSpan.FromMinutes(5);

    [Theory]
    [InlineData("EmptyHandle", "SQS was sent a receipt handle that it never gave: ''")]
    [InlineData("ThrowOnPool", "has thrown System.InvalidOperationException: Nothing catches this.")]
    public async Task Simulate_CodeUnderTestFails_RunsEverySeedAndNamesTheReplay(string defect, string failure)
    {
        (int exitCode, string[] lines) = await RunAsync("simulate", "--seeds", "20", "--defect", defect);

        exitCode.ShouldBe(1);
        lines.ShouldContain(line => line.StartsWith("seed ", StringComparison.Ordinal) && line.Contains(failure, StringComparison.Ordinal));
        lines[^1].ShouldMatch("^20 seeds, [1-9][0-9]* failures$");
        string[] replay = Replay.Match(lines.First(Replay.IsMatch)).Groups["arguments"].Value.Split(' ');
        replay.ShouldContain(defect);
        (exitCode, lines) = await RunAsync(replay);
        exitCode.ShouldBe(1);
        lines.ShouldContain(line => line.Contains(failure, StringComparison.Ordinal));
        lines[^1].ShouldBe("1 seeds, 1 failures");
    }

    [Fact]
    public async Task Simulate_CodeUnderTestHangs_EndsWithTheSeedAndItsReplay()
    {
        (int exitCode, string[] lines) = await RunAsync("simulate", "--seeds", "20", "--defect", "Hang", "--limit", "2");

        exitCode.ShouldBe(1);
        lines.ShouldContain(line => Hung.IsMatch(line));
        lines.Count(Replay.IsMatch).ShouldBe(1);
        lines[^1].ShouldMatch("^[0-9]+ seeds, 1 failures$");
    }

    private static async Task<(int ExitCode, string[] Lines)> RunAsync(params string[] arguments)
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;
        await using CapturedProcess proof =
            CapturedProcess.Start("dotnet", [RepositoryFolder.Combine("proof", "bin", configuration, "net10.0", "Proof.dll"), .. arguments]);
        int exitCode = await proof.WaitForExitAsync(WaitLimit);
        return (exitCode, [.. proof.Output.Snapshot().Select(line => line.Text)]);
    }

    [GeneratedRegex("--project proof -- (?<arguments>replay .*)$")]
    private static partial Regex Replay { get; }

    [GeneratedRegex("^seed [0-9]+: the world did not end within 2 s of processor time, or 20 s of real time$")]
    private static partial Regex Hung { get; }
}
