namespace Benchmarks.Interleaved;

/// <summary>How often two subjects are compared.</summary>
/// <param name="Name">The command's name, and that of the file in the results folder.</param>
/// <param name="Launches">Processes per row, at least one.</param>
/// <param name="Turns">Turns of each side per process, at least one.</param>
/// <param name="Results">Folder for the rows; null to print them only.</param>
internal sealed record RatioOptions(string Name, int Launches, int Turns, DirectoryInfo? Results);
