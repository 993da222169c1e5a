using System.Globalization;
using System.Net;
using System.Text;

namespace Benchmarks.Charts;

/// <summary>Horizontal bars on a logarithmic scale, as SVG. Light and dark readers see the same: it brings its own background.</summary>
internal static class BarChart
{
    private const int RowHeight = 16;
    private const int LabelWidth = 170;
    private const int BarWidth = 470;
    private const int Width = LabelWidth + BarWidth + 190;

    public static string Draw(string title, string subtitle, IReadOnlyList<BarGroup> groups)
    {
        double largest = groups.SelectMany(group => group.Bars).Max(bar => bar.Nanoseconds);
        double decades = Math.Ceiling(Math.Log10(largest));
        StringBuilder body = new();
        int y = 60;
        foreach (BarGroup group in groups)
        {
            y = DrawGroup(body, group, y, decades);
        }

        string text = string.Create(
            CultureInfo.InvariantCulture,
            $"""
            <svg xmlns="http://www.w3.org/2000/svg" width="{Width}" height="{y}" viewBox="0 0 {Width} {y}" font-family="sans-serif" font-size="11">
            <rect width="100%" height="100%" fill="#ffffff"/>
            <text x="10" y="22" font-size="15" font-weight="bold">{Escape(title)}</text>
            <text x="10" y="40" fill="#666666">{Escape(subtitle)}</text>

            """);
        return text + body + "</svg>\n";
    }

    private static int DrawGroup(StringBuilder body, BarGroup group, int y, double decades)
    {
        body.Append(CultureInfo.InvariantCulture, $"<text x=\"10\" y=\"{y + 14}\" font-size=\"12\" font-weight=\"bold\">{Escape(group.Title)}</text>\n");
        y += 22;
        foreach (Bar bar in group.Bars)
        {
            double width = Math.Max(1, BarWidth * Math.Log10(Math.Max(1.0, bar.Nanoseconds)) / decades);
            string fill = bar.Label.StartsWith("Fused", StringComparison.Ordinal) || bar.Label.StartsWith("WorkerDirect", StringComparison.Ordinal) ? "#1b7837"
                : bar.Label.StartsWith("Precompiled", StringComparison.Ordinal) ? "#5aae61"
                : bar.Label.StartsWith("HandWritten", StringComparison.Ordinal) ? "#555555"
                : "#a6bddb";
            body.Append(CultureInfo.InvariantCulture, $"<text x=\"{LabelWidth - 6}\" y=\"{y + 11}\" text-anchor=\"end\">{Escape(bar.Label)}</text>");
            body.Append(CultureInfo.InvariantCulture, $"<rect x=\"{LabelWidth}\" y=\"{y + 2}\" width=\"{width:F1}\" height=\"{RowHeight - 5}\" fill=\"{fill}\"/>");
            body.Append(CultureInfo.InvariantCulture, $"<text x=\"{LabelWidth + width + 5:F1}\" y=\"{y + 11}\" fill=\"#333333\">{bar.Nanoseconds:N1} ns, {bar.Bytes:N0} B</text>\n");
            y += RowHeight;
        }

        return y + 10;
    }

    private static string Escape(string text) => WebUtility.HtmlEncode(text);
}
