using System.CommandLine;
using Benchmarks.Compare;

namespace Lab.Seeds;

/// <summary>Every published table beside the figures measured here.</summary>
internal static class SeedsCommand
{
    private const int Failed = 2;

    public static Command Create()
    {
        Option<DirectoryInfo[]> from = new("--from")
        {
            Description = "Folders of results from one machine; when two hold the same row, the later one counts; by default as for pages",
            AllowMultipleArgumentsPerToken = true
        };
        Option<bool> markdown = new("--markdown") { Description = "Print Markdown" };
        Command seeds =
            new("seeds", "Prints every published table with four columns: published, the original here, the published idea here, ours") { from, markdown };
        seeds.SetAction(result => Run(result.GetValue(from) ?? [], result.GetValue(markdown), pages: null, Console.Out, Console.Error));
        return seeds;
    }

    /// <param name="from">Folders of results.</param>
    /// <param name="markdown">Prints Markdown.</param>
    /// <param name="pages">Writes the tables between their marks in the pages of this folder, which must have marks for every table, and prints none; null
    /// prints.</param>
    /// <param name="output">For the tables.</param>
    /// <param name="errors">For the reason of a failure.</param>
    /// <returns>0; 2 when the results cannot be read or no page has the marks of a table.</returns>
    public static int Run(DirectoryInfo[] from, bool markdown, DirectoryInfo? pages, TextWriter output, TextWriter errors)
    {
        try
        {
            MeasuredFigures figures = MeasuredFigures.Read(LabResults.Folders(from));
            if (pages is null)
            {
                Print(figures, markdown, output);
            }
            else
            {
                Write(figures, pages);
                output.WriteLine(pages.FullName);
            }

            return 0;
        }
        catch (Exception exception) when (exception is ResultsException or FormatException)
        {
            errors.WriteLine($"error: {exception.Message}");
            return Failed;
        }
    }

    private static void Print(MeasuredFigures figures, bool markdown, TextWriter output)
    {
        SeedCatalog catalog = SeedCatalog.Load();
        foreach (SeedTable table in catalog.Tables)
        {
            output.WriteLine(markdown ? $"### {table.Title}\n\n{SeedText.Markdown(table, figures)}" : SeedText.Plain(table, catalog.SourceOf(table), figures));
        }

        output.WriteLine($"Here: {figures.Origin}");
    }

    private static void Write(MeasuredFigures figures, DirectoryInfo folder)
    {
        if (!folder.Exists)
        {
            throw new ResultsException($"There is no folder {folder.FullName}.");
        }

        Dictionary<string, string> pages = folder.EnumerateFiles("*.md").ToDictionary(page => page.FullName, page => File.ReadAllText(page.FullName));
        SeedCatalog catalog = SeedCatalog.Load();
        foreach ((string name, string content) in catalog.Tables
            .Select(table => (table.Name, SeedText.Markdown(table, figures)))
            .Append(("Here", $"Here: {figures.Origin}.")))
        {
            string page = pages.Keys.FirstOrDefault(page => MarkedText.Names(pages[page], SeedText.Mark).Contains(name))
                ?? throw new ResultsException($"No page of {folder.FullName} has the mark <!-- {SeedText.Mark}:{name} -->.");
            pages[page] = MarkedText.Replace(pages[page], SeedText.Mark, name, content);
        }

        foreach ((string page, string text) in pages)
        {
            File.WriteAllText(page, text);
        }
    }
}
