namespace Integration.Tests.Packages;

/// <summary>Every package of the solution, packed once from the build of these tests.</summary>
public sealed class PackedPackages : IAsyncLifetime
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("packages-");

    public string Folder => _folder.FullName;

    /// <summary>The version of all packages.</summary>
    public string Version { get; private set; } = string.Empty;

    /// <summary>The package ids, in alphabetical order.</summary>
    public IReadOnlyList<string> Ids { get; private set; } = [];

    public async ValueTask InitializeAsync()
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;
        await DotnetCommand.RunAsync(RepositoryFolder.Root, "pack", "Worker.sln", "-c", configuration, "--no-build", "-v", "quiet", "-o", Folder);
        NuspecFile[] all = [.. _folder.EnumerateFiles("*.nupkg").Select(file => NuspecFile.Read(file.FullName))];
        Version = all.Select(nuspec => nuspec.Version).Distinct(StringComparer.Ordinal).ShouldHaveSingleItem();
        Ids = [.. all.Select(nuspec => nuspec.Id).Order(StringComparer.Ordinal)];
    }

    /// <summary>The path of a package, or of its symbols.</summary>
    public string PathOf(string id, string extension = "nupkg") => Path.Combine(Folder, $"{id}.{Version}.{extension}");

    public ValueTask DisposeAsync()
    {
        _folder.Delete(recursive: true);
        return ValueTask.CompletedTask;
    }
}
