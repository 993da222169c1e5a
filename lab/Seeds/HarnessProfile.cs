using System.Text.Json;
using Benchmarks.Compare;

namespace Lab.Seeds;

/// <summary>The allocations of a chain's own types in one run of the harness, from its <c>--explain --json</c> line.</summary>
internal static class HarnessProfile
{
    private const string Delegates = "System.Func<Pipeline.Contexts.PipelineContext";
    private const string Execution = "Pipeline.Execution.";
    // Reports from before the packages had a root namespace name the same types without it.
    private const string Root = "Quayside.";
    private const string Closures = "<>c__DisplayClass";

    /// <summary>Kinds of types by the names that rows refer to: <c>harness.Closure.Delegates</c>.</summary>
    private static readonly (string Kind, Func<string, bool> Includes)[] Kinds =
    [
        ("Chain", static type => IsDelegate(type) || IsExecution(type)),
        ("Closures", static type => IsExecution(type) && type.Contains(Closures, StringComparison.Ordinal)),
        ("Delegates", IsDelegate),
        ("Connectors", static type => IsExecution(type) && type.Contains("ClosureNext<", StringComparison.Ordinal)),
    ];

    /// <summary>The names of the kinds.</summary>
    public static IEnumerable<string> Names => Kinds.Select(kind => kind.Kind);

    /// <returns>Total bytes and objects of each kind.</returns>
    /// <exception cref="ResultsException">The file is not such a report.</exception>
    public static IEnumerable<(string Name, SeedFigure Figure)> Read(FileInfo file)
    {
        try
        {
            using FileStream stream = file.OpenRead();
            using JsonDocument report = JsonDocument.Parse(stream);
            string form = report.RootElement.GetProperty("form").GetString()!;
            (string Type, long Bytes, long Count)[] rows =
            [
                .. report.RootElement.GetProperty("allocations").EnumerateArray()
                    .Select(
                        row => (
                            row.GetProperty("type").GetString()!.Replace(Root, "", StringComparison.Ordinal), row.GetProperty("bytes").GetInt64(),
                            row.GetProperty("count").GetInt64())),
            ];
            return [.. Kinds.Select(kind => ($"harness.{form}.{kind.Kind}", Sum(rows.Where(row => kind.Includes(row.Type)))))];
        }
        catch (Exception exception) when (exception is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            throw new ResultsException($"{file.FullName} is not a report of the harness with --explain: {exception.Message}");
        }
    }

    private static SeedFigure Sum(IEnumerable<(string Type, long Bytes, long Count)> rows)
    {
        (long bytes, long count) = rows.Aggregate((0L, 0L), static (sum, row) => (sum.Item1 + row.Bytes, sum.Item2 + row.Count));
        return new SeedFigure(Bytes: bytes, Text: $"{count:N0} objects");
    }

    private static bool IsDelegate(string type) => type.StartsWith(Delegates, StringComparison.Ordinal);

    private static bool IsExecution(string type) => type.StartsWith(Execution, StringComparison.Ordinal);
}
