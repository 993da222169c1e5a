using System.CommandLine;
using Benchmarks;
using Benchmarks.Compare;

namespace Lab.Techniques.Pages;

/// <summary><c>techniques</c>: runs their suites; and writes the results into their pages.</summary>
internal static class TechniqueCommand
{
    private const int Failed = 2;

    public static Command Create()
    {
        Option<bool> quick = new("--quick") { Description = "A quick look at bytes and relative times; times must not be published" };
        Command run = new(
            "techniques", "Runs the suites of techniques in short rounds; BenchmarkDotNet's options follow, such as --filter '*' --artifacts FOLDER") { quick };
        run.TreatUnmatchedTokensAsErrors = false;
        run.SetAction(
            result => SuiteRunner.Run(
                LabSuites.Techniques, result.UnmatchedTokens, result.GetValue(quick) ? SuiteConfig.Quick() : SuiteConfig.Short(), "techniques",
                LabCommand.Project));
        return run;
    }

    /// <returns>0 when every block of every page was written, 1 when results were missing for some, 2 when none could be written.</returns>
    public static int WritePages(IReadOnlyList<DirectoryInfo> from, DirectoryInfo pages, TextWriter output, TextWriter errors)
    {
        try
        {
            ResultsFolder[] results = LabResults.Read(from);
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

    private static int WritePage(FileInfo file, ResultsFolder[] results, TextWriter output)
    {
        string before = File.ReadAllText(file.FullName);
        string text = before;
        int missing = 0;
        foreach (string suite in MarkedText.Names(before, FigureTable.Mark))
        {
            // A table is of one run; the latest counts.
            if (results.Reverse().Select(folder => FigureTable.Create(suite, folder)).FirstOrDefault(one => one is not null) is { } table)
            {
                text = MarkedText.Replace(text, FigureTable.Mark, suite, table);
            }
            else
            {
                missing++;
                output.WriteLine($"{file.Name}: {suite} is not in {string.Join(", ", results.Select(folder => folder.Path))}; its table is unchanged");
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
