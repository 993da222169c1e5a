using System.Globalization;
using System.Runtime.InteropServices;
using Benchmarks.Reports;

namespace Benchmarks.Interleaved;

/// <summary>What one process measured for two subjects that took turns.</summary>
/// <param name="Baseline">Nanoseconds per message, median of the turns.</param>
/// <param name="Subject">The same for the subject that is compared with the baseline.</param>
/// <param name="Ratio">Subject by baseline, median of the turns: each turn compares two neighbours in time.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct TurnMedians(double Baseline, double Subject, double Ratio)
{
    /// <param name="baseline">Nanoseconds per message of each turn; at least one.</param>
    /// <param name="subject">The same for the subject, equally many.</param>
    public static TurnMedians Of(double[] baseline, double[] subject)
    {
        double[] ratios = [.. baseline.Zip(subject, static (one, other) => other / one)];
        return new TurnMedians(Medians.Of(baseline), Medians.Of(subject), Medians.Of(ratios));
    }

    /// <summary>Reads what <see cref="ToString"/> wrote.</summary>
    public static TurnMedians Parse(string line)
    {
        double[] figures = [.. line.Split(' ').Select(figure => double.Parse(figure, CultureInfo.InvariantCulture))];
        return new TurnMedians(figures[0], figures[1], figures[2]);
    }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Baseline:F1} {Subject:F1} {Ratio:F4}");
}
