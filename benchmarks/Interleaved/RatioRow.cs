namespace Benchmarks.Interleaved;

/// <summary>A case's row in a results file.</summary>
/// <param name="Case">The case.</param>
/// <param name="BaselineNanoseconds">Per message, of the process with the median ratio.</param>
/// <param name="SubjectNanoseconds">The same of the subject.</param>
/// <param name="Ratio">Subject by baseline, of the same process.</param>
/// <param name="Ratios">Those of all processes, from the least.</param>
internal sealed record RatioRow(string Case, double BaselineNanoseconds, double SubjectNanoseconds, double Ratio, IReadOnlyList<double> Ratios)
{
    /// <param name="name">The case.</param>
    /// <param name="processes">At least one.</param>
    public static RatioRow Of(string name, IReadOnlyCollection<TurnMedians> processes)
    {
        TurnMedians[] sorted = [.. processes.OrderBy(process => process.Ratio)];
        TurnMedians median = sorted[sorted.Length / 2];
        return new RatioRow(name, median.Baseline, median.Subject, median.Ratio, [.. sorted.Select(process => process.Ratio)]);
    }
}
