using System.Text.Json;
using System.Text.Json.Serialization;
using Harness.Pages;

namespace Benchmarks.Reports;

/// <summary>The figures of a command as a file of its results folder, from which pages are written.</summary>
internal static class ResultsFile
{
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true, Converters = { new JsonStringEnumConverter() } };

    /// <param name="folder">The results folder, which exists; null to write nothing.</param>
    /// <param name="name">The file's name without .json, which is the command's.</param>
    /// <param name="work">What was done, and how often.</param>
    /// <param name="rows">Rows with texts that name them and figures, whose property names contain the units.</param>
    /// <param name="cancellationToken">Ends the writing.</param>
    public static async Task WriteAsync<T>(DirectoryInfo? folder, string name, string work, IReadOnlyList<T> rows, CancellationToken cancellationToken)
    {
        if (folder is not null)
        {
            string machine = $"{MachineInfo.Current()}, {TimeProvider.System.GetUtcNow():yyyy-MM-dd}; {work}";
            await File.WriteAllTextAsync(
                Path.Combine(folder.FullName, $"{name}.json"), JsonSerializer.Serialize(new { machine, rows }, Indented) + "\n", cancellationToken);
        }
    }
}
