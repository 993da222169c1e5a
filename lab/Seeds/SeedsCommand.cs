using System.CommandLine;
using Benchmarks.Compare;

namespace Lab.Seeds;

/// <summary>Every published table beside the figures measured here.</summary>
internal static class SeedsCommand
{
    private const string ResultsRoot = "benchmarks/results";
    private const int Failed = 2;

    // 2026-11-21
    private const int DayLength = 10;

    public static Command Create()
    {
        Option<DirectoryInfo[]> from = new("--from") { Description = $"Folders of results from one machine; when two hold the same row, the later one counts; by default all folders in {ResultsRoot} from the machine of the newest one", AllowMultipleArgumentsPerToken = true };
        Option<bool> markdown = new("--markdown") { Description = "Print Markdown" };
        Option<DirectoryInfo?> write = new("--write") { Description = "Write the tables between their marks in the pages (*.md) of one folder; the pages must have marks for every table" };
        Command seeds = new("seeds", "Prints every published table with four columns: published, the original here, the published idea here, ours") { from, markdown, write };
        seeds.SetAction(result => Run(result.GetValue(from) ?? [], result.GetValue(markdown), result.GetValue(write), Console.Out, Console.Error));
        return seeds;
    }

    /// <returns>0; 2 when the results cannot be read or no page has the marks of a table.</returns>
    public static int Run(DirectoryInfo[] from, bool markdown, DirectoryInfo? pages, TextWriter output, TextWriter errors)
    {
        try
        {
            MeasuredFigures figures = MeasuredFigures.Read(from.Length > 0 ? from : OfNewestMachine(new DirectoryInfo(ResultsRoot)));
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

    /// <summary>The folders named <c>2026-11-21-machine</c> from the machine of the newest one, in the order of their days.</summary>
    /// <exception cref="ResultsException">There is no such folder.</exception>
    internal static DirectoryInfo[] OfNewestMachine(DirectoryInfo root)
    {
        DirectoryInfo[] folders = root.Exists ? [.. root.GetDirectories().OrderBy(folder => folder.Name, StringComparer.Ordinal)] : [];
        return folders.Length == 0
            ? throw new ResultsException($"{root} holds no results; run from the repository's root, or give --from FOLDER.")
            : [.. folders.Where(folder => MachineOf(folder) == MachineOf(folders[^1]))];
    }

    private static string MachineOf(DirectoryInfo folder) => folder.Name.Length > DayLength ? folder.Name[DayLength..] : folder.Name;

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
        foreach ((string name, string content) in catalog.Tables.Select(table => (table.Name, SeedText.Markdown(table, figures))).Append(("Here", $"Here: {figures.Origin}.")))
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
