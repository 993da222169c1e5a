using System.Globalization;

namespace Benchmarks.Compare;

/// <summary>Compares two results folders from one machine row by row: time is faster, slower or the same; any difference in bytes counts.</summary>
internal static class ResultComparer
{
    /// <returns>0 when no row got slower or allocates more, 1 when one did, 2 when the folders cannot be compared.</returns>
    public static int Run(DirectoryInfo before, DirectoryInfo after, double threshold, TextWriter output)
    {
        try
        {
            return Compare(ResultsFolder.Read(before), ResultsFolder.Read(after), threshold, output);
        }
        catch (ResultsException exception)
        {
            output.WriteLine($"error: {exception.Message}");
            return 2;
        }
    }

    private static int Compare(ResultsFolder before, ResultsFolder after, double threshold, TextWriter output)
    {
        if (before.Machine != after.Machine)
        {
            throw new ResultsException(
                $"The folders are from different machines, so their times are not comparable.\n  before: {before.Machine}\n  after:  {after.Machine}");
        }

        int worse = 0;
        foreach (string name in before.Rows.Keys.Union(after.Rows.Keys, StringComparer.Ordinal).Order(StringComparer.Ordinal))
        {
            if (!before.Rows.TryGetValue(name, out BenchmarkRow? old))
            {
                output.WriteLine($"new     {name}");
            }
            else if (!after.Rows.TryGetValue(name, out BenchmarkRow? current))
            {
                output.WriteLine($"gone    {name}");
            }
            else
            {
                worse += Write(old, current, threshold, output) ? 1 : 0;
            }
        }

        output.WriteLine(worse == 0 ? "No row got slower or allocates more." : $"{worse} rows got slower or allocate more.");
        return worse == 0 ? 0 : 1;
    }

    private static bool Write(BenchmarkRow old, BenchmarkRow current, double threshold, TextWriter output)
    {
        double ratio = current.Nanoseconds / old.Nanoseconds;
        string verdict = ratio > 1 + threshold ? "slower" : ratio < 1 - threshold ? "faster" : "same";
        if (verdict == "same" && current.Bytes > old.Bytes)
        {
            verdict = "more B";
        }

        string bytes = current.Bytes == old.Bytes ? string.Empty : $", {old.Bytes} -> {current.Bytes} B";
        output.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture, $"{verdict,-7} {old.ShortName}: {old.Nanoseconds:N1} -> {current.Nanoseconds:N1} ns ({ratio:F3}){bytes}"));
        return verdict is "slower" or "more B" || current.Bytes > old.Bytes;
    }
}
