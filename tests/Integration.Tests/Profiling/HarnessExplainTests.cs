using System.Collections.Concurrent;
using System.Text.Json;
using Quayside.Pipeline.Execution;

namespace Integration.Tests.Profiling;

public sealed class HarnessExplainTests
{
    private const int Messages = 1000;

    // The archive chain, see Messaging.Tests/Hosting/Approved: the closure form makes a next delegate for each part, the terminator included.
    private const int Parts = 4;

    private static readonly ConcurrentDictionary<string, Lazy<Task<JsonElement>>> Runs = new(StringComparer.Ordinal);

    public static TheoryData<string> Forms => [.. PipelineForm.All.Select(form => form.Name)];

    [Fact]
    public async Task Explain_Closure_CountsTheClosuresOfEveryMessage()
    {
        Dictionary<string, (long Bytes, long Count)> allocations = Allocations(await ExplainAsync("Closure"));

        allocations["System.Func<Quayside.Pipeline.Contexts.PipelineContext, System.Threading.Tasks.Task>"].Count.ShouldBe(Messages * Parts);
        allocations["Quayside.Pipeline.Execution.ClosureNext<Quayside.Messaging.Archive.ArchiveContext>"].ShouldBe((48 * Messages, 2 * Messages));
        allocations.Where(type => type.Key.Contains(".<>c__DisplayClass", StringComparison.Ordinal) && IsOfClosures(type.Key))
            .Sum(type => type.Value.Count).ShouldBe(Messages * Parts);
    }

    [Fact]
    public async Task Explain_Precompiled_HasNoClosures()
    {
        Dictionary<string, (long Bytes, long Count)> allocations = Allocations(await ExplainAsync("Precompiled"));

        allocations.Keys.ShouldNotContain(type => IsOfClosures(type));
        allocations.Keys.ShouldNotContain("System.Func<Quayside.Pipeline.Contexts.PipelineContext, System.Threading.Tasks.Task>");
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task Explain_AnyForm_ExplainsTheBytesOfAMessage(string form)
    {
        JsonElement report = await ExplainAsync(form);

        double bytes = Allocations(report).Values.Sum(type => type.Bytes);
        double allocated = report.GetProperty("bytesPerMessage").GetDouble() * Messages;

        // Observed: 90 to 100 %. The missing bytes are the growing arrays of pools and queues.
        (bytes / allocated).ShouldBeInRange(0.75, 1.01);
        report.GetProperty("allocationsCoverage").GetDouble().ShouldBe(bytes / allocated, 0.001);
    }

    [Fact]
    public async Task Explain_WithStops_StopsAndPrintsTheTable()
    {
        await using HarnessProcess harness = HarnessProcess.Start(["--explain", "--form", "Closure"]);

        (await harness.WaitForExitAsync()).ShouldBe(0);

        string[] lines = [.. harness.Output.Snapshot().Select(line => line.Text)];
        lines.Count(line => line.StartsWith("[before publishing]", StringComparison.Ordinal)).ShouldBe(1);
        lines.Count(line => line.StartsWith("[after publishing]", StringComparison.Ordinal)).ShouldBe(1);
        lines.Count(line => line.StartsWith("[after processing]", StringComparison.Ordinal)).ShouldBe(1);
        lines.ShouldContain(line => line.StartsWith("Every object by type: ", StringComparison.Ordinal));
        lines.ShouldContain(
            line => line.EndsWith("  Quayside.Pipeline.Execution.ClosureNext<Quayside.Messaging.Archive.ArchiveContext>", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Report_WithoutExplain_HasNoAllocations()
    {
        JsonElement report = await HarnessProcess.ReportAsync("--no-wait", "--count", "10");

        report.TryGetProperty("allocations", out _).ShouldBeFalse();
        report.TryGetProperty("allocationsCoverage", out _).ShouldBeFalse();
    }

    // The links of a closure chain, and what they make per message.
    private static bool IsOfClosures(string type) =>
        type.StartsWith("Quayside.Pipeline.Execution.Closure", StringComparison.Ordinal)
        || (type.StartsWith("Quayside.Pipeline.Execution.", StringComparison.Ordinal) && type.Contains("Link", StringComparison.Ordinal));

    /// <summary>One run of each form serves all tests.</summary>
    private static Task<JsonElement> ExplainAsync(string form) => Runs.GetOrAdd(
        form, name => new Lazy<Task<JsonElement>>(
            () => HarnessProcess.ReportAsync("--explain", "--no-wait", "--form", name, "--count", Messages.ToString()))).Value;

    private static Dictionary<string, (long Bytes, long Count)> Allocations(JsonElement report) =>
        report.GetProperty("allocations").EnumerateArray().ToDictionary(
            type => type.GetProperty("type").GetString()!,
            type => (type.GetProperty("bytes").GetInt64(), type.GetProperty("count").GetInt64()),
            StringComparer.Ordinal);
}
