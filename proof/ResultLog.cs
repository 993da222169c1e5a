using System.CommandLine;
using System.Globalization;
using System.Reflection;

namespace Proof;

/// <summary>Results of long runs, one line each: date, commit, command, count, failures. <c>results</c> adds them up.</summary>
internal static class ResultLog
{
    private const string Committed = "proof/results.tsv";

    private static readonly Argument<FileInfo> File =
        new Argument<FileInfo>("file") { Description = "The file", DefaultValueFactory = _ => new(Committed) }.AcceptExistingOnly();

    /// <summary>The option of the commands whose results are kept.</summary>
    public static Option<string?> Record { get; } = Options.Output("--record", $"Append the result to this file, such as {Committed}");

    public static Command Create()
    {
        Command command = new("results", $"Adds up what was recorded, such as in {Committed}: counts and failures of each command") { File };
        command.SetAction(result => Print(result.GetValue(File)!.FullName));
        return command;
    }

    /// <summary>Appends a line.</summary>
    /// <param name="file">The file; null for none.</param>
    /// <param name="name">What is added up together, such as <c>simulate</c> or <c>fuzz json</c>.</param>
    /// <param name="range">The seeds.</param>
    /// <param name="count">Seeds, inputs or kills.</param>
    /// <param name="failures">How many of them failed.</param>
    public static void Append(string? file, string name, string range, long count, int failures)
    {
        if (file is null)
        {
            return;
        }

        string commit = typeof(ResultLog).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[^1];
        using StreamWriter writer = new(file, append: true);
        writer.Write(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{DateTime.UtcNow:yyyy-MM-dd}\t{commit[..Math.Min(commit.Length, 12)]}\t{name}\t{range}\t{count}\t{failures}\n"));
    }

    private static int Print(string file)
    {
        string[][] lines = [.. System.IO.File.ReadLines(file).Select(line => line.Split('\t'))];
        int wrong = Array.FindIndex(
            lines, line => line.Length != 6
                || !long.TryParse(line[4], CultureInfo.InvariantCulture, out _)
                || !int.TryParse(line[5], CultureInfo.InvariantCulture, out _));
        if (wrong >= 0)
        {
            Console.Error.WriteLine($"{file}, line {wrong + 1}: must be six columns with tabs between them: date, commit, command, range, count, failures");
            return 1;
        }

        // Each command, then its parts: `fuzz`, `fuzz json`, …
        foreach (IGrouping<string, string[]> name in lines
            .SelectMany(line => Names(line[2]).Select(name => (Name: name, Line: line)))
            .GroupBy(line => line.Name, line => line.Line)
            .OrderBy(name => name.Key, StringComparer.Ordinal))
        {
            long count = name.Sum(line => long.Parse(line[4], CultureInfo.InvariantCulture));
            int failures = name.Sum(line => int.Parse(line[5], CultureInfo.InvariantCulture));
            Console.WriteLine(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{name.Key}: {count:N0}, {failures} failures, "
                        + $"{name.Select(line => line[1]).Distinct().Count()} commits from {name.Min(line => line[0])} to {name.Max(line => line[0])}"));
        }

        return 0;
    }

    private static IEnumerable<string> Names(string name)
    {
        string[] words = name.Split(' ');
        return words.Length == 1 ? [name] : [words[0], name];
    }
}
