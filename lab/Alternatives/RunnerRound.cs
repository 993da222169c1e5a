using System.Globalization;
using System.Runtime.InteropServices;

namespace Lab.Alternatives;

/// <summary>The cost of one round.</summary>
/// <param name="Nanoseconds">Processor time of the process per message, publisher included.</param>
/// <param name="Bytes">Bytes allocated per message, all threads.</param>
/// <param name="PerSecond">Messages per second.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct RunnerRound(double Nanoseconds, double Bytes, double PerSecond)
{
    /// <summary>Reads what <see cref="ToString"/> wrote.</summary>
    public static RunnerRound Parse(string line)
    {
        double[] figures = [.. line.Split(' ').Select(figure => double.Parse(figure, CultureInfo.InvariantCulture))];
        return new RunnerRound(figures[0], figures[1], figures[2]);
    }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Nanoseconds:F1} {Bytes:F2} {PerSecond:F0}");
}
