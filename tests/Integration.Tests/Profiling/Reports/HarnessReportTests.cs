using System.Text.Json;
using System.Xml.Linq;
using Harness.Pages;
using Quayside.Pipeline.Execution;

namespace Integration.Tests.Profiling.Reports;

/// <summary>The report pages of the harness, from runs started as a user does.</summary>
public sealed class HarnessReportTests : IDisposable
{
    private const int Messages = 2_000;

    private readonly string _folder = Directory.CreateTempSubdirectory("harness-report-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Report_OfARun_ShowsTheFiguresOfItsJson()
    {
        await RunAsync(
            0, "--no-wait", "--count", $"{Messages}", "--Intake:Concurrency=7", "--Sinks:S3:AccessKeyId=id", "--Sinks:S3:SecretAccessKey=very-secret",
            "--report", In("run.html"), "--json", In("run.json"));

        JsonElement run = Json("run.json");
        JsonElement record = run.GetProperty("record");
        string[] tiles = [.. Page("run.html").Descendants("b").Select(tile => tile.Value)];
        tiles[..4].ShouldBe([
            Figures.Rate(run.GetProperty("messagesPerSecond").GetDouble()),
            Figures.Time(run.GetProperty("processorMicrosecondsPerMessage").GetDouble() / 1e6),
            Figures.Bytes(run.GetProperty("bytesPerMessage").GetDouble()),
            Figures.Time(run.GetProperty("pauseMilliseconds").GetDouble() / 1e3)]);
        tiles[^1].ShouldBe($"{run.GetProperty("gen0")}, {run.GetProperty("gen1")}, {run.GetProperty("gen2")}");

        // Every message has a latency, and the bins hold every message.
        record.GetProperty("latency").EnumerateArray().Sum(bucket => bucket.GetProperty("messages").GetInt64()).ShouldBe(Messages);
        (record.GetProperty("messagesPerSecond").EnumerateArray().Sum(rate => rate.GetDouble()) * record.GetProperty("binSeconds").GetDouble()).ShouldBe(
            Messages, Messages / 100.0);
        record.GetProperty("sampledAllocations").GetArrayLength().ShouldBeGreaterThan(0);

        string page = File.ReadAllText(In("run.html"));
        page.ShouldContain("sampled, one in 100 KB");
        page.ShouldContain("<td>Intake:Concurrency</td><td>7</td>");
        page.ShouldContain("<td>Sinks:S3:SecretAccessKey</td><td>***</td>");
        (page + run).ShouldNotContain("very-secret");
        page.ShouldNotContain("http://", customMessage: "the page loads no external resource");
    }

    [Fact]
    public async Task Report_WithExplain_CountsEveryObject()
    {
        await RunAsync(0, "--no-wait", "--count", "500", "--explain", "--report", In("run.html"), "--json", In("run.json"));

        Json("run.json").GetProperty("record").GetProperty("sampledAllocations").GetArrayLength().ShouldBe(0);
        File.ReadAllText(In("run.html")).ShouldContain("every object counted");
        Page("run.html")
            .Descendants("title")
            .Select(title => title.Value)
            .ShouldContain(Json("run.json").GetProperty("allocations")[0].GetProperty("type").GetString());
    }

    [Fact, Trait("Category", "Long")]
    public async Task FormAll_RunsEachFormAndComparesWithItself()
    {
        await RunAsync(0, "--form", "all", "--rounds", "1", "--count", "200", "--report", In("all.html"), "--json", In("all.json"));

        string[] forms = [.. PipelineForm.All.Where(form => form.IsSupported).Select(form => form.Name)];
        Json("all.json").GetProperty("forms").EnumerateArray().Select(run => run.GetProperty("form").GetString()).ShouldBe(forms);
        Page("all.html")
            .Descendants("h2")
            .Select(heading => heading.Value)
            .ShouldBe([.. forms.Select(form => $"{form} form, channel to memory"), "Settings and machine"]);

        string[] lines = await RunAsync(0, "compare", In("all.json"), In("all.json"), "--report", In("compare.html"));

        lines.Count(line => line.Contains("Both are equally fast", StringComparison.Ordinal)).ShouldBe(forms.Length);
        Page("compare.html").Descendants("h2").Count().ShouldBe(forms.Length + 1);
    }

    [Theory]
    [InlineData("compare", "none.json", "none.json")]
    [InlineData("--no-wait", "--report", "none/run.html")]
    [InlineData("--no-wait", "--json", "none/run.json")]
    [InlineData("--form", "all", "--trace=none.nettrace")]
    public async Task WrongFiles_AreNamedBeforeAnythingRuns(string first, string second, string third)
    {
        string[] lines = await RunAsync(64, first, second, third);

        lines.ShouldHaveSingleItem().ShouldStartWith("error: ");
    }

    private static async Task<string[]> RunAsync(int exitCode, params string[] arguments)
    {
        await using HarnessProcess harness = HarnessProcess.Start(arguments);
        (await harness.WaitForExitAsync(TimeSpan.FromMinutes(15))).ShouldBe(exitCode, harness.Output.Describe());
        return [.. harness.Output.Snapshot().Select(line => line.Text)];
    }

    private string In(string file) => Path.Combine(_folder, file);

    private JsonElement Json(string file) => JsonSerializer.Deserialize<JsonElement>(File.ReadAllText(In(file)));

    private XDocument Page(string file) => XDocument.Parse(File.ReadAllText(In(file)));
}
