namespace Lab.Tests;

/// <summary>The committed pages and charts are what the command makes of the committed results.</summary>
public sealed class PagesCommandTests : IDisposable
{
    private static readonly string[] Folders =
        [Path.Combine("benchmarks", "results"), Path.Combine("lab", "results"), Path.Combine("lab", "docs"), Path.Combine("docs", "evidence")];

    private readonly DirectoryInfo _copy = Directory.CreateTempSubdirectory("lab-");
    private readonly StringWriter _output = new();

    public void Dispose()
    {
        _copy.Delete(recursive: true);
        _output.Dispose();
    }

    [Fact]
    public void Run_OnTheCommittedResults_ChangesNoFile()
    {
        Dictionary<string, string> before = [];
        foreach (string file in Folders
            .SelectMany(folder => Directory.EnumerateFiles(Path.Combine(Documents.Root, folder), "*", SearchOption.AllDirectories))
            .Append(Path.Combine(Documents.Root, "README.md")))
        {
            string copy = Path.Combine(_copy.FullName, Path.GetRelativePath(Documents.Root, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            before[copy] = File.ReadAllText(file);
            File.WriteAllText(copy, before[copy]);
        }

        DirectoryInfo[] results = LabResults.OfNewestMachine([.. Folders[..2].Select(folder => new DirectoryInfo(Path.Combine(_copy.FullName, folder)))]);
        PagesCommand
            .Run(results, new DirectoryInfo(Path.Combine(_copy.FullName, Folders[2])), _copy, measured: [], _output, _output)
            .ShouldBe(0, _output.ToString());

        _output.ToString().ShouldContain("pipeline.svg");
        before.Where(file => File.ReadAllText(file.Key) != file.Value).Select(file => file.Key).ShouldBeEmpty();
    }
}
