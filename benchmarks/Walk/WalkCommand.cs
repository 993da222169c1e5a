using System.CommandLine;
using System.Globalization;
using Harness.Pages;

namespace Benchmarks.Walk;

/// <summary><c>walk</c>: the stations of a message from SQS to S3, with their types and what each costs per message, counted in the running worker.</summary>
internal static class WalkCommand
{
    private const int Messages = 10_000;

    public static Command Create()
    {
        Option<bool> list = new("--list") { Description = "Print each type with its methods and their calls per message" };
        Option<bool> write = new("--write") { Description = $"Write the page {WayPage.Path} too; run from the repository's root" };
        Command command = new(
            "walk",
            "Prints the stations of a message from SQS to S3 with their types and files, and counts lock entries, interlocked operations, work items, suspensions and bytes per message (half a minute)") { list, write };
        command.SetAction((result, cancellationToken) => RunAsync(result.GetValue(list), result.GetValue(write), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(bool list, bool write, CancellationToken cancellationToken)
    {
        if (write && !Directory.Exists(Path.GetDirectoryName(WayPage.Path)))
        {
            await Console.Error.WriteLineAsync($"error: there is no folder for {WayPage.Path}; run from the repository's root.");
            return 2;
        }

        IReadOnlyDictionary<string, string> files = ProductCode.ReadFiles();
        WalkResult result = await WalkRun.MeasureAsync(Messages, cancellationToken);
        Console.Out.WriteLine(WalkReport.Describe(result, files, list));
        if (write)
        {
            string machine = string.Create(CultureInfo.InvariantCulture, $"{MachineInfo.Current()}, {TimeProvider.System.GetUtcNow():yyyy-MM-dd}.");
            string figures = WayPage.WriteFigures(WalkReport.Load(result), WalkReport.Figures(result, files), machine);
            await File.WriteAllTextAsync(WayPage.Path, WayPage.Write(files, figures), cancellationToken);
            Console.Out.WriteLine($"{WayPage.Path} is written.");
        }

        return 0;
    }
}
