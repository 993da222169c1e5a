using Benchmarks;
using Benchmarks.Compare;

namespace Lab.Seeds;

/// <summary>One published figure.</summary>
/// <param name="Value">The number; null when only <paramref name="Text"/> was published.</param>
/// <param name="Unit">The unit of the value: <c>ns</c>, or a rate such as <c>datagrams/s</c>.</param>
/// <param name="Bytes">Bytes allocated; null when none were published.</param>
/// <param name="Text">A text published instead of a number, or a remark on the number.</param>
/// <param name="Rate">Garbage collections per operation; null when none were counted.</param>
internal sealed record SeedFigure(double? Value = null, string Unit = "ns", double? Bytes = null, string? Text = null, CollectionRate? Rate = null)
{
    private const string RateEnd = "/s";

    private bool IsRate => Unit.EndsWith(RateEnd, StringComparison.Ordinal);

    /// <summary>How many times better than another figure, such as <c>5.8x</c>, or how much worse, <c>1/20</c>; empty when they cannot be compared.</summary>
    public string Gain(SeedFigure? other)
    {
        if (other?.Value is not { } theirs || Value is not { } ours || Unit != other.Unit || ours == 0 || theirs == 0)
        {
            return string.Empty;
        }

        double times = IsRate ? ours / theirs : theirs / ours;
        return times < 0.1 ? $"1/{1 / times:N0}" : times < 10 ? $"{times:0.0#}x" : $"{times:N0}x";
    }

    /// <summary>The figure as a case shows it: as a total of all operations, or with its collections.</summary>
    public SeedFigure As(SeedCase one) => one.Messages is { } messages && Bytes is { } bytes
        ? new SeedFigure(Text: $"{bytes * messages / 1e9:N1} GB{(Rate is { } total ? $", {total.Gen0 * messages:N0} gen 0" : string.Empty)}")
        : one.Collections && Rate is { } rate ? this with { Text = $"{rate.Gen0 * 1e6:N0} gen 0 and {rate.Gen1 * 1e6:N1} gen 1 per million" }
        : this;

    public override string ToString()
    {
        string? value = Value is not { } number ? null : Unit == "ns" ? FigureText.Time(number) : $"{number:N0} {Unit}";
        string? bytes = Bytes is { } allocated ? FigureText.Bytes(allocated) : null;
        return string.Join(", ", ((string?[])[value, bytes, Text]).Where(part => part is not null));
    }
}
