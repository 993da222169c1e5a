using System.CommandLine;
using Benchmarks.Compare;
using Lab.Charts;
using Lab.Pages;
using Lab.Seeds;
using Lab.Techniques.Pages;

namespace Lab;

/// <summary>
/// <c>pages</c>: everything that is generated from results: the README's and the performance pages' figures, the tables of the techniques' and the talks'
/// pages, and the charts.
/// </summary>
internal static class PagesCommand
{
    private const int Failed = 2;

    public static Command Create()
    {
        Option<DirectoryInfo[]> from = new("--from")
        {
            Description = "Folders of results from one machine; when two hold the same row, the later one counts; by default all folders in "
                + "benchmarks/results and lab/results from the machine of the newest one",
            AllowMultipleArgumentsPerToken = true
        };
        Option<DirectoryInfo> pages =
            new("--pages") { Description = "The folder with the folders techniques and seeds", DefaultValueFactory = _ => new DirectoryInfo("lab/docs") };
        Option<DirectoryInfo> repository =
            new("--repository") { Description = "The folder with README.md and docs", DefaultValueFactory = _ => new DirectoryInfo(".") };
        Option<DirectoryInfo[]> measured = new("--measured")
        {
            Description = "Folders that the README's and the performance pages' figures come from from now on, where they have them; by "
                + "default those that each figure names",
            AllowMultipleArgumentsPerToken = true
        };
        Command command =
            new("pages", "Writes the figures of all pages from the results, and draws the charts of the results again") { from, pages, repository, measured };
        command.SetAction(
            result => Run(
                result.GetValue(from) ?? [], result.GetValue(pages)!, result.GetValue(repository)!, result.GetValue(measured) ?? [], Console.Out,
                Console.Error));
        return command;
    }

    /// <returns>0 when everything was written, 1 when results were missing for a table, 2 when something could not be written.</returns>
    public static int Run(DirectoryInfo[] from, DirectoryInfo pages, DirectoryInfo repository, DirectoryInfo[] measured, TextWriter output, TextWriter errors)
    {
        try
        {
            DirectoryInfo[] folders = LabResults.Folders(from);
            int code = Math.Max(
                TechniqueCommand.WritePages(folders, Folder(pages, "techniques"), output, errors),
                SeedsCommand.Run(folders, markdown: true, Folder(pages, "seeds"), output, errors));
            ChartCommand.Redraw(folders, output);
            MeasuredPages.Write(repository, measured, output);
            return code;
        }
        catch (ResultsException exception)
        {
            errors.WriteLine($"error: {exception.Message}");
            return Failed;
        }
    }

    private static DirectoryInfo Folder(DirectoryInfo pages, string name) => new(Path.Combine(pages.FullName, name));
}
