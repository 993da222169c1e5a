using System.Text;

namespace Lab.Seeds;

/// <summary>A published table beside what was measured here, as text or as Markdown.</summary>
internal static class SeedText
{
    /// <summary>The kind of the marks around a table in a document: <c>seeds</c>.</summary>
    public const string Mark = "seeds";

    private const string NotMeasured = "-";
    private const string NotRun = "not run";
    private static readonly string[] Head = ["", "published: original", "published: optimised", "original here", "optimised here", "ours"];

    public static string Markdown(SeedTable table, MeasuredFigures figures)
    {
        StringBuilder text = new();
        AppendLine(text, Head);
        AppendLine(text, ["---", .. Head.Skip(1).Select(_ => "---:")]);
        foreach (SeedCase one in table.Cases)
        {
            AppendLine(text, Cells(one, figures));
        }

        return text.ToString();
    }

    public static string Plain(SeedTable table, SeedSource source, MeasuredFigures figures)
    {
        string[][] lines = [Head, .. table.Cases.Select(one => Cells(one, figures))];
        int[] widths = [.. Enumerable.Range(0, Head.Length).Select(column => lines.Max(line => line[column].Length))];
        StringBuilder text = new($"{table.Title} ({source.Author}, {source.Title})\n");
        foreach (string[] line in lines)
        {
            text
                .Append(string.Join("  ", line.Select((cell, column) => column == 0 ? cell.PadRight(widths[column]) : cell.PadLeft(widths[column]))).TrimEnd())
                .Append('\n');
        }

        return text.ToString();
    }

    private static string[] Cells(SeedCase one, MeasuredFigures figures)
    {
        SeedFigure? original = figures.Find(one.Here.Original)?.As(one);
        return
        [
            one.Case,
            one.Published.Original?.ToString() ?? NotMeasured,
            Cell(one.Published.Optimised, one.Published.Original) ?? NotMeasured,
            Cell(original, null) ?? Missing(one.Here.Original),
            Cell(figures.Find(one.Here.Optimised)?.As(one), original) ?? Missing(one.Here.Optimised),
            Cell(figures.Find(one.Here.Ours)?.As(one), original) ?? Missing(one.Here.Ours),
        ];
    }

    private static string? Cell(SeedFigure? figure, SeedFigure? original) =>
        figure is null ? null : figure.Gain(original) is { Length: > 0 } gain ? $"{figure} ({gain})" : figure.ToString();

    private static string Missing(string? name) => name is null ? NotMeasured : NotRun;

    private static void AppendLine(StringBuilder text, string[] cells) => text.Append("| ").AppendJoin(" | ", cells).Append(" |\n");
}
