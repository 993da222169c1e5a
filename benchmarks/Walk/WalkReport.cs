using System.Globalization;
using System.Text;

namespace Benchmarks.Walk;

/// <summary>What the command prints.</summary>
internal static class WalkReport
{
    // Less than this rounds to 0.00: calls at the start, on a timer or while idle.
    private const double Shown = 0.005;

    public static string Describe(WalkResult result, IReadOnlyDictionary<string, string> files, bool methods)
    {
        StringBuilder text = new();
        text.Append(CultureInfo.InvariantCulture, $"{Load(result)}\n\n{Figures(result, files)}\n");
        int number = 0;
        foreach (Station station in Stations.All)
        {
            text.Append(CultureInfo.InvariantCulture, $"\n{++number}. {station.Name}: {station.Text}\n");
            foreach (string type in station.Types)
            {
                text.Append("     ").Append(type).Append("  ").Append(files.GetValueOrDefault(type, "(no such type)")).Append(result.Types.Contains(type) ? string.Empty : " (not passed)").Append('\n');
                if (methods)
                {
                    AppendMethods(text, result, type);
                }
            }
        }

        string[] elsewhere = [.. result.Types.Where(type => files.ContainsKey(type) && Stations.Of(type) is null)];
        string[] generated = [.. result.Types.Where(type => !files.ContainsKey(type))];
        if (elsewhere.Length > 0)
        {
            text.Append("\nPassed, but at no station:\n").AppendJoin(string.Empty, elsewhere.Select(type => $"     {type}  {files[type]}\n"));
        }

        return text.Append(CultureInfo.InvariantCulture, $"\nGenerated code: {generated.Length} types, {string.Join(", ", generated)}\n").ToString();
    }

    /// <summary>What the figures were counted under.</summary>
    public static string Load(WalkResult result) => string.Create(
        CultureInfo.InvariantCulture,
        $"{result.Totals.Messages:N0} messages that were in the queue before, {result.InFlight} in flight, {(double)result.Totals.Messages / (result.Totals.Receives - result.Totals.EmptyReceives):F1} per receive, {(double)result.Totals.Messages / result.Totals.DeleteCalls:F1} per delete. Nothing has read the metrics for 15 minutes, so that no durations are recorded.");

    /// <summary>A table in Markdown of the figures per message, by station and in total.</summary>
    public static string Figures(WalkResult result, IReadOnlyDictionary<string, string> files)
    {
        StringBuilder table = new("|  | station | types | lock entries | interlocked | work items | suspended |\n|--:|---|--:|--:|--:|--:|--:|\n");
        int number = 0;
        foreach (Station station in Stations.All)
        {
            AppendRow(table, (++number).ToString(CultureInfo.InvariantCulture), station.Name, result.Types.Count(station.Types.Contains), result, station.Types.Contains);
        }

        AppendRow(table, string.Empty, "elsewhere", result.Types.Count(type => files.ContainsKey(type) && Stations.Of(type) is null), result, type => Stations.Of(type) is null);
        AppendRow(table, string.Empty, "**in total**", result.Types.Count(files.ContainsKey), result, static _ => true);
        return table.Append(
            CultureInfo.InvariantCulture,
            $"\nThe whole process per message: {result.BytesPerMessage:N0} bytes allocated, {result.WorkItemsPerMessage:F1} work items run, the framework's included.").ToString();
    }

    private static void AppendRow(StringBuilder table, string number, string name, int types, WalkResult result, Func<string, bool> isIncluded)
    {
        table.Append(CultureInfo.InvariantCulture, $"| {number} | {name} | {types} |");
        foreach (SiteKind kind in (SiteKind[])[SiteKind.Lock, SiteKind.Interlocked, SiteKind.WorkItem, SiteKind.Suspension])
        {
            double figure = result.Of(kind, isIncluded);
            table.Append(figure < Shown ? " |" : string.Create(CultureInfo.InvariantCulture, $" {figure:F2} |"));
        }

        table.Append('\n');
    }

    /// <summary>Each method of a type with what was counted in it per message, such as <c>TryAdd 1.00 (Lock 1.00)</c>.</summary>
    private static void AppendMethods(StringBuilder text, WalkResult result, string type)
    {
        foreach (IGrouping<string, SiteCount> method in result.Sites.Where(counted => counted.Site.Type == type && counted.Count > 0).GroupBy(counted => counted.Site.Method, StringComparer.Ordinal))
        {
            text.Append("         ").Append(method.Key).AppendJoin(string.Empty, method.OrderBy(counted => counted.Site.Kind).Select(counted => string.Create(
                CultureInfo.InvariantCulture, $"{(counted.Site.Kind == SiteKind.Call ? string.Empty : $", {counted.Site.Kind}")} {(double)counted.Count / result.Totals.Messages:F2}"))).Append('\n');
        }
    }
}
