using Benchmarks.Compare;

namespace Lab;

/// <summary>The results that pages and charts are made of: the lab's own and those of the product's suites, from one machine.</summary>
internal static class LabResults
{
    // 2026-11-21
    private const int DayLength = 10;

    private static readonly DirectoryInfo[] Roots = [new("benchmarks/results"), new("lab/results")];

    /// <summary>The given folders, or by default all of the machine of the newest one.</summary>
    /// <exception cref="ResultsException">There is no such folder.</exception>
    public static DirectoryInfo[] Folders(DirectoryInfo[] from) => from.Length > 0 ? from : OfNewestMachine(Roots);

    /// <summary>The folders named <c>2026-11-21-machine</c> from the machine of the newest one, in the order of their days.</summary>
    /// <exception cref="ResultsException">There is no such folder.</exception>
    public static DirectoryInfo[] OfNewestMachine(params DirectoryInfo[] roots)
    {
        DirectoryInfo[] folders =
            [.. roots.Where(root => root.Exists).SelectMany(root => root.GetDirectories()).OrderBy(folder => folder.Name, StringComparer.Ordinal)];
        return folders.Length == 0
            ? throw new ResultsException(
                $"{string.Join<DirectoryInfo>(" and ", roots)} hold no results; run from the repository's root, or give --from FOLDER.")
            : [.. folders.Where(folder => MachineOf(folder) == MachineOf(folders[^1]))];
    }

    /// <summary>The folders' reports, in the same order. A folder with results of other commands only, such as alternatives.json, is left out.</summary>
    /// <exception cref="ResultsException">There are no reports, or they are from different machines.</exception>
    public static ResultsFolder[] Read(IReadOnlyList<DirectoryInfo> folders)
    {
        DirectoryInfo[] reported = [.. folders.Where(folder => !folder.Exists || ResultsFolder.HasReports(folder))];
        ResultsFolder[] read = [.. (reported.Length > 0 ? reported : folders).Select(ResultsFolder.Read)];
        return read.DistinctBy(folder => folder.Machine, StringComparer.Ordinal).Count() > 1
            ? throw new ResultsException(
                "The folders are from different machines, so their times are not comparable:"
                    + $"{string.Concat(read.Select(folder => $"\n  {folder.Path}: {folder.Machine}"))}")
            : read;
    }

    private static string MachineOf(DirectoryInfo folder) => folder.Name.Length > DayLength ? folder.Name[DayLength..] : folder.Name;
}
