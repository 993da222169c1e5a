namespace Benchmarks.Reports;

/// <summary>The figure of several rounds.</summary>
internal static class Medians
{
    /// <summary>The middle value; the mean of both of an even number.</summary>
    public static double Of(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }
}
