using System.CommandLine;
using System.Globalization;
using System.Reflection;

namespace Proof;

/// <summary>Results of long runs, one line each: date, commit, command, count, failures. <c>results</c> adds them up.</summary>
internal static class ResultLog
{
    private const string Committed = "proof/results.tsv";

    private static readonly Argument<string> File = new("file") { Description = "The file", DefaultValueFactory = _ => Committed };

    /// <summary>The option of the commands whose results are kept.</summary>
    public static Option<string?> Record { get; } = new("--record") { Description = $"Append the result to this file, such as {Committed}" };

    public static Command Create()
    {
        Command command = new("results", $"Adds up what was recorded, such as in {Committed}: counts and failures of each command") { File };
        command.SetAction(result => Print(result.GetValue(File)!));
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
        writer.Write(string.Create(CultureInfo.InvariantCulture, $"{DateTime.UtcNow:yyyy-MM-dd}\t{commit[..Math.Min(commit.Length, 12)]}\t{name}\t{range}\t{count}\t{failures}\n"));
    }

    private static int Print(string file)
    {
        string[][] lines = [.. System.IO.File.ReadLines(file).Select(line => line.Split('\t'))];
        foreach (IGrouping<string, string[]> name in lines.GroupBy(line => line[2]).OrderBy(name => name.Key, StringComparer.Ordinal))
        {
            long count = name.Sum(line => long.Parse(line[4], CultureInfo.InvariantCulture));
            int failures = name.Sum(line => int.Parse(line[5], CultureInfo.InvariantCulture));
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{name.Key}: {count:N0}, {failures} failures, {name.Select(line => line[1]).Distinct().Count()} commits from {name.Min(line => line[0])} to {name.Max(line => line[0])}"));
        }

        return 0;
    }
}
