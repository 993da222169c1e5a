using System.CommandLine;
using Benchmarks.Compare;
using Harness.Pages;

namespace Benchmarks.Reports;

/// <summary>Writes a results folder as a page, or one of its suites as a chart for a document.</summary>
internal static class ReportCommand
{
    public static Command Create()
    {
        Argument<DirectoryInfo> results = new("results") { Description = "A results folder" };
        Option<FileInfo?> page = new("--report") { Description = "The page; report.html in the folder by default", HelpName = "file.html" };
        Option<FileInfo?> chart = new("--chart") { Description = "Write the chart of one suite instead", HelpName = "file.svg" };
        Option<string?> suite = new("--suite") { Description = "The one suite to show, as the page names it", HelpName = "name" };
        Command command = new("report", "Writes a results folder as a page, with a table and bars for each suite") { results, page, chart, suite };
        command.SetAction(
            result => Run(result.GetValue(results)!, result.GetValue(page), result.GetValue(chart), result.GetValue(suite), Console.Out, Console.Error));
        return command;
    }

    /// <returns>0, or 2 when the folder does not hold what is asked for.</returns>
    public static int Run(DirectoryInfo results, FileInfo? page, FileInfo? chart, string? suite, TextWriter output, TextWriter errors)
    {
        try
        {
            IReadOnlyList<ReportSection> sections = Read(results, suite);
            if (chart is not null)
            {
                Write(chart, Draw(sections), output);
            }

            if (page is not null || chart is null)
            {
                Write(page ?? new FileInfo(Path.Combine(results.FullName, "report.html")), ToPage(results.Name, sections), output);
            }

            return 0;
        }
        catch (ResultsException exception)
        {
            errors.WriteLine($"error: {exception.Message}");
            return 2;
        }
    }

    private static IReadOnlyList<ReportSection> Read(DirectoryInfo results, string? suite)
    {
        List<ReportSection> sections = results.Exists ? [.. MeasuredSections.Read(results)] : [];
        if (sections.Count == 0 || results.EnumerateFiles("*-report-brief.json", SearchOption.AllDirectories).Any())
        {
            sections.AddRange(SuiteSections.Of(ResultsFolder.Read(results)));
        }

        ReportSection[] found = [.. sections.Where(section => suite is null || string.Equals(section.Name, suite, StringComparison.OrdinalIgnoreCase))];
        return found.Length > 0
            ? found
            : throw new ResultsException(
                $"{results.FullName} holds no suite {suite}. It holds: {string.Join(", ", sections.Select(section => section.Name))}.");
    }

    private static string Draw(IReadOnlyList<ReportSection> sections) => sections is [{ Charts.Count: > 0 } section]
        ? SvgChart.File(
            $"{section.Name}: {section.Shows}{(section.IsLogarithmic ? " (logarithmic)" : "")}", section.Machine, section.Charts, section.IsLogarithmic)
        : throw new ResultsException(
            "--chart draws one suite; name it with --suite: "
                + $"{string.Join(", ", sections.Where(section => section.Charts.Count > 0).Select(section => section.Name))}.");

    private static string ToPage(string name, IReadOnlyList<ReportSection> sections)
    {
        HtmlPage page = new($"Benchmarks: {name}");
        page
            .Paragraph("Compare rows of the same suite only: another suite may have run at another hour.")
            .Contents($"Suites ({sections.Count})", sections.Select(section => section.Name));
        foreach (ReportSection section in sections)
        {
            page.Heading(section.Name).Paragraph(section.Machine, isMuted: true);
            page.Charts(section.Charts.Select(chart =>
            {
                bool isLogarithmic = SvgChart.NeedsLogarithm(chart.Rows);
                return (
                    chart.Title.Length > 0 ? chart.Title : section.Name, $"{section.Shows}{(isLogarithmic ? " (logarithmic)" : "")}",
                    SvgChart.Bars(section.Name, chart.Rows, isLogarithmic));
            }));
            page.Table(section.Columns, section.Rows);
        }

        return page.ToString();
    }

    private static void Write(FileInfo file, string text, TextWriter output)
    {
        File.WriteAllText(file.FullName, text);
        output.WriteLine(file.FullName);
    }
}
