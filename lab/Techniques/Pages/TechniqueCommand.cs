using System.CommandLine;
using Benchmarks;
using Benchmarks.Compare;

namespace Lab.Techniques.Pages;

/// <summary>Runs the suites of techniques, and writes their results into the techniques' pages.</summary>
internal static class TechniqueCommand
{
    private const int Failed = 2;

    public static Command CreateRun()
    {
        Option<bool> quick = new("--quick") { Description = "A quick look at bytes and relative times; times must not be published" };
        Command run = new("techniques", "Runs the suites of techniques in short rounds; BenchmarkDotNet's options follow, such as --filter '*' --artifacts FOLDER") { quick };
        run.TreatUnmatchedTokensAsErrors = false;
        run.SetAction(result => SuiteRunner.Run(LabSuites.Techniques, result.UnmatchedTokens, result.GetValue(quick) ? SuiteConfig.Quick() : SuiteConfig.Short(), "techniques", LabCommand.Project));
        return run;
    }

    public static Command CreatePages()
    {
        Option<DirectoryInfo> from = new("--from") { Description = "The folder of results", Required = true };
        Option<DirectoryInfo> pages = new("--pages") { Description = "The folder of pages", DefaultValueFactory = _ => new DirectoryInfo("lab/docs/techniques") };
        Command write = new("techniques-pages", "Writes the tables in the techniques' pages from a folder of results") { from, pages };
        write.SetAction(result => WritePages(result.GetValue(from)!, result.GetValue(pages)!, Console.Out, Console.Error));
        return write;
    }

    /// <returns>0 when every block of every page was written, 1 when results were missing for some, 2 when none could be written.</returns>
    public static int WritePages(DirectoryInfo from, DirectoryInfo pages, TextWriter output, TextWriter errors)
    {
        try
        {
            ResultsFolder results = ResultsFolder.Read(from);
            FileInfo[] files = pages.Exists ? pages.GetFiles("*.md") : throw new ResultsException($"There is no folder {pages.FullName}.");
            int missing = 0;
            foreach (FileInfo file in files.OrderBy(file => file.Name, StringComparer.Ordinal))
            {
                missing += WritePage(file, results, output);
            }

            return missing == 0 ? 0 : 1;
        }
        catch (Exception exception) when (exception is ResultsException or FormatException)
        {
            errors.WriteLine($"error: {exception.Message}");
            return Failed;
        }
    }

    private static int WritePage(FileInfo file, ResultsFolder results, TextWriter output)
    {
        string before = File.ReadAllText(file.FullName);
        string text = before;
        int missing = 0;
        foreach (string suite in MarkedText.Names(before, FigureTable.Mark))
        {
            if (FigureTable.Create(suite, results) is { } table)
            {
                text = MarkedText.Replace(text, FigureTable.Mark, suite, table);
            }
            else
            {
                missing++;
                output.WriteLine($"{file.Name}: {suite} is not in {results.Path}; its table is unchanged");
            }
        }

        if (text != before)
        {
            File.WriteAllText(file.FullName, text);
            output.WriteLine($"{file.Name}: written");
        }

        return missing;
    }
}
