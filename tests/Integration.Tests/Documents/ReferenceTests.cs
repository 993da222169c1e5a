using System.Text.RegularExpressions;

namespace Integration.Tests.Documents;

/// <summary>Tables of docs/reference that are generated from the source. <c>APPROVE=1</c> writes them; read the diff before you commit it.</summary>
public sealed partial class ReferenceTests
{
    // Names of OpenTelemetry's semantic conventions 1.44. A name outside "worker." that is not listed is misspelt, or new: look it up there.
    private static readonly string[] Conventions =
    [
        "messaging.client.consumed.messages", "messaging.process.duration",
        "messaging.system", "messaging.destination.name", "messaging.operation.name", "messaging.operation.type", "messaging.message.id",
        "messaging.message.body.size",
        "messaging.batch.message_count", "error.type", "rpc.system", "rpc.service", "rpc.method", "aws.request_id", "aws.s3.bucket", "aws.s3.key",
        "http.response.status_code",
    ];

    [Fact]
    public void Metrics_AreThoseOfTheSource()
    {
        IReadOnlyList<InstrumentRow> instruments = SourceScan.Instruments();

        instruments.Count.ShouldBeGreaterThan(50);
        instruments.Select(row => row.Name).ShouldBeUnique();
        instruments.ShouldAllBe(row => row.Description.Length > 10);
        Check("docs/reference/metrics.md", instruments
            .Select(
                row => $"| `{row.Name}` | {row.Type}{(row.Unit.Length == 0 ? string.Empty : $", {row.Unit}")} | "
                    + $"{string.Join(", ", row.Attributes.Select(name => $"`{name}`"))} | {row.Description} |")
            .Prepend("|---|---|---|---|")
            .Prepend("| metric | type, unit | attributes | meaning |"));
    }

    [Fact]
    public void Events_AreThoseOfTheSource()
    {
        IReadOnlyList<(int Id, string Level, string Text)> events = SourceScan.Events();

        events.Count.ShouldBeGreaterThan(100);
        events.Select(row => row.Id).ShouldBeUnique();
        Check("docs/reference/events.md", events
            .Select(
                row => $"| {row.Id} | {row.Level} | {row.Text.Replace("|", "\\|", StringComparison.Ordinal).Replace("<", "&lt;", StringComparison.Ordinal)} |")
            .Prepend("|---|---|---|")
            .Prepend("| id | level | text |"));
    }

    [Fact]
    public void SpanAttributes_OfTheSource_AreThoseOfThePage()
    {
        string page = File.ReadAllText(RepositoryFolder.Combine("docs", "reference", "traces.md"));
        string section = page[page.IndexOf("## Attributes", StringComparison.Ordinal)..page.IndexOf("## Trace context", StringComparison.Ordinal)];

        string[] documented = [
            .. FirstColumn
                .Matches(section)
                .SelectMany(row => Code.Matches(row.Value))
                .Select(match => match.Groups["name"].Value)
                .Order(StringComparer.Ordinal)];

        documented.ShouldBe(SourceScan.SpanAttributes());
    }

    [Fact]
    public void Names_OutsideTheWorkersOwn_AreThoseOfTheConventions() => SourceScan.Instruments()
        .SelectMany(row => row.Attributes.Append(row.Name))
        .Concat(SourceScan.SpanAttributes())
        .Where(name => !name.StartsWith("worker.", StringComparison.Ordinal))
        .Except(Conventions)
        .ShouldBeEmpty();

    private static void Check(string page, IEnumerable<string> table)
    {
        string path = RepositoryFolder.Combine(page);
        string text = File.ReadAllText(path);
        int start = text.IndexOf("\n| ", StringComparison.Ordinal) + 1;
        int end = text.IndexOf("\n\n", start, StringComparison.Ordinal);
        string[] rows = [.. table];
        if (Environment.GetEnvironmentVariable("APPROVE") == "1")
        {
            File.WriteAllText(path, $"{text[..start]}{string.Join('\n', rows)}{(end < 0 ? "\n" : text[end..])}");
        }

        text[start..(end < 0 ? text.Length - 1 : end)]
            .Split('\n')
            .Except(rows)
            .Concat(rows.Except(text.Split('\n')))
            .ShouldBeEmpty("Where the change is meant, run once with APPROVE=1 and read the diff.");
    }

    [GeneratedRegex(@"(?<=\n)\| `[^|]*\|")]
    private static partial Regex FirstColumn { get; }

    [GeneratedRegex("`(?<name>[^`]+)`")]
    private static partial Regex Code { get; }
}
