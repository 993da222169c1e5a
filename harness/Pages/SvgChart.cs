using System.Globalization;
using System.Text;

namespace Harness.Pages;

/// <summary>
/// Bars and columns as SVG. Horizontal positions are percentages and text sizes are pixels, so that a chart fits a phone screen or a
/// printed page without shrinking its text.
/// </summary>
internal static class SvgChart
{
    /// <summary>The style sheet of the charts; a page uses its colours by the same names.</summary>
    public const string Style = """
        :root{color-scheme:light dark;--ground:#fff;--ink:#1b1f24;--muted:#5c6570;--line:#d5dae0;--bar:#2a6fc9;--old:#9aa5b1}
        @media (prefers-color-scheme:dark){:root{--ground:#14181d;--ink:#e6e9ed;--muted:#9aa4af;--line:#333b44;--bar:#5b9cf0;--old:#68727e}}
        svg{font:12px system-ui,sans-serif}svg text{fill:var(--ink)}svg .muted{fill:var(--muted)}svg .bar{fill:var(--bar)}svg .old{fill:var(--old)}svg .line{stroke:var(--line)}
        """;

    // The rest of the width is for the text of the longest bar.
    private const double LongestPercent = 70;

    // A file has a known width, so labels are beside the bars instead of above them.
    private const double LabelPercent = 30;
    private const double LongestPercentBeside = 48;
    private const int LineLength = 100;
    private const int LongestLabel = 48;
    private const int BarHeight = 12;
    private const int Plot = 110;
    private const int FileWidth = 760;

    /// <summary>Horizontal bars.</summary>
    /// <param name="label">What a reader who does not see it hears.</param>
    /// <param name="rows">At least one.</param>
    /// <param name="logarithmic">True for a logarithmic scale, which starts below the smallest value.</param>
    public static string Bars(string label, IReadOnlyList<ChartRow> rows, bool logarithmic = false)
    {
        StringBuilder body = new();
        int height = AppendBars(body, rows, 0, Scale.Of(rows, logarithmic), above: true);
        return $"<svg role=\"img\" aria-label=\"{HtmlPage.Encode(label)}\" width=\"100%\" height=\"{height}\">{body}</svg>";
    }

    /// <summary>Vertical columns of equal width.</summary>
    /// <param name="label">What a reader who does not see it hears.</param>
    /// <param name="columns">At least one.</param>
    /// <param name="top">The largest value with its unit.</param>
    /// <param name="below">The texts below the left edge, the middle and the right edge.</param>
    public static string Columns(string label, IReadOnlyList<ChartColumn> columns, string top, (string First, string Middle, string Last) below)
    {
        double largest = columns.Max(column => column.Value);
        double width = 100.0 / columns.Count;
        StringBuilder body = new();
        body.Append(
            CultureInfo.InvariantCulture,
            $"<text class=\"muted\" y=\"11\">{HtmlPage.Encode(top)}</text><path class=\"line\" d=\"M0 16.5h9999M0 {Plot + 16.5}h9999\"/>");
        for (int i = 0; i < columns.Count; i++)
        {
            double height = columns[i].Value > 0 ? Math.Max(1, Plot * columns[i].Value / largest) : 0;
            body.Append(
                CultureInfo.InvariantCulture,
                $"<rect class=\"bar\" x=\"{(i + 0.05) * width:0.##}%\" y=\"{16 + Plot - height:0.#}\" width=\"{width * 0.9:0.##}%\" "
                    + $"height=\"{height:0.#}\"><title>{HtmlPage.Encode(columns[i].Text)}</title></rect>\n");
        }

        foreach ((string text, string x, string anchor) in (ReadOnlySpan<(string, string, string)>)[
                (below.First, "0", "start"), (below.Middle, "50%", "middle"), (below.Last, "100%", "end")])
        {
            body.Append(
                CultureInfo.InvariantCulture, $"<text class=\"muted\" x=\"{x}\" y=\"{Plot + 32}\" text-anchor=\"{anchor}\">{HtmlPage.Encode(text)}</text>");
        }

        return $"<svg role=\"img\" aria-label=\"{HtmlPage.Encode(label)}\" width=\"100%\" height=\"{Plot + 38}\">{body}</svg>";
    }

    /// <summary>A separate file for a document: groups of bars on one scale, with a background.</summary>
    public static string File(string title, string subtitle, IReadOnlyList<(string Title, IReadOnlyList<ChartRow> Rows)> groups, bool logarithmic)
    {
        Scale scale = Scale.Of(groups.SelectMany(group => group.Rows), logarithmic);
        StringBuilder body = new();
        int y = 36;
        foreach (string line in Lines(subtitle))
        {
            body.Append(CultureInfo.InvariantCulture, $"<text class=\"muted\" y=\"{y}\">{HtmlPage.Encode(line)}</text>\n");
            y += 16;
        }

        foreach ((string name, IReadOnlyList<ChartRow> rows) in groups)
        {
            body.Append(CultureInfo.InvariantCulture, $"<text y=\"{y + 18}\" font-weight=\"bold\">{HtmlPage.Encode(name)}</text>\n");
            y = AppendBars(body, rows, y + 26, scale, above: false) + 6;
        }

        return $"""
            <svg xmlns="http://www.w3.org/2000/svg" width="{FileWidth}" height="{y + 16}" viewBox="0 0 {FileWidth} {y + 16}">
            <style>{Style}</style>
            <rect width="100%" height="100%" fill="var(--ground)"/>
            <svg x="14" y="8" width="{FileWidth - 28}" height="{y}">
            <text y="16" font-size="15" font-weight="bold">{HtmlPage.Encode(title)}</text>
            {body}</svg></svg>

            """;
    }

    /// <summary>True when some linear bars would be almost invisible beside the longest.</summary>
    public static bool NeedsLogarithm(IEnumerable<ChartRow> rows) => Scale.Of(rows, false) is var scale && scale.Largest > 50 * scale.Smallest;

    private static int AppendBars(StringBuilder body, IReadOnlyList<ChartRow> rows, int y, Scale scale, bool above)
    {
        (double left, double longest) = above ? (0, LongestPercent) : (LabelPercent, LongestPercentBeside);
        foreach (ChartRow row in rows)
        {
            string shown = row.Label.Length <= LongestLabel
                ? row.Label
                : $"{row.Label.AsSpan(0, LongestLabel / 2)}…{row.Label.AsSpan(row.Label.Length - (LongestLabel / 2) + 1)}";
            body.Append(
                CultureInfo.InvariantCulture,
                $"<text y=\"{y + (above ? 12 : 10)}\">{HtmlPage.Encode(shown)}<title>{HtmlPage.Encode(row.Title)}</title></text>");
            y += above ? 17 : 0;
            for (int i = 0; i < row.Bars.Length; i++)
            {
                double width = longest * scale.Share(row.Bars[i].Value);
                body.Append(
                    CultureInfo.InvariantCulture,
                    $"<rect class=\"{(row.IsQuiet || i < row.Bars.Length - 1 ? "old" : "bar")}\" x=\"{left}%\" y=\"{y}\" width=\"{width:0.##}%\" "
                        + $"height=\"{BarHeight}\"/>");
                body.Append(
                    CultureInfo.InvariantCulture, $"<text x=\"{left + width:0.##}%\" dx=\"5\" y=\"{y + 10}\">{HtmlPage.Encode(row.Bars[i].Text)}</text>\n");
                y += BarHeight + 2;
            }

            y += above ? 6 : 2;
        }

        return y;
    }

    private static IEnumerable<string> Lines(string text)
    {
        while (text.Length > LineLength && text.LastIndexOf(' ', LineLength) is > 0 and int end)
        {
            yield return text[..end];
            text = text[(end + 1)..];
        }

        yield return text;
    }

    /// <summary>Computes the length of a bar. Smallest and largest are those of the values above 0.</summary>
    private readonly record struct Scale(double Smallest, double Largest, bool IsLogarithmic)
    {
        public static Scale Of(IEnumerable<ChartRow> rows, bool logarithmic)
        {
            double[] values = [.. rows.SelectMany(row => row.Bars).Select(bar => bar.Value).Where(value => value > 0)];
            return values.Length == 0 ? new Scale(1, 1, false) : new Scale(values.Min(), values.Max(), logarithmic && values.Min() < values.Max());
        }

        /// <summary>The length as a fraction of the longest bar; on a logarithmic scale the smallest value still has a visible bar.</summary>
        public double Share(double value) =>
            value <= 0 ? 0 : IsLogarithmic ? 0.05 + (0.95 * Math.Log(value / Smallest) / Math.Log(Largest / Smallest)) : value / Largest;
    }
}
