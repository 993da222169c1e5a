using System.Text.RegularExpressions;

namespace Integration.Tests.Packages;

/// <summary>The sample for Aspire names the worker by its path. It is built by hand: its packages have 320 MB.</summary>
public sealed partial class AppHostTests
{
    [Fact]
    public async Task AppHost_NamesTheProjectOfTheWorker()
    {
        string folder = RepositoryFolder.Combine("samples", "AppHost");

        Match project = ProjectPath.Match(await File.ReadAllTextAsync(Path.Combine(folder, "Program.cs"), TestContext.Current.CancellationToken));

        File.Exists(Path.Combine(folder, project.Groups["path"].Value)).ShouldBeTrue(project.Value);
    }

    [GeneratedRegex("""AddProject\("worker", "(?<path>[^"]+)"\)""")]
    private static partial Regex ProjectPath { get; }
}
