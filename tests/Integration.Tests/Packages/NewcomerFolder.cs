namespace Integration.Tests.Packages;

/// <summary>
/// A new folder outside the repository that restores the packages as an outside user does: the packed ones, or none of the worker's own. The machine's
/// own package sources stay in effect. Packages are restored into the folder; third-party packages come from the machine's cache where it has them. The
/// worker's own do not: a cached package of the same version may be from an earlier build.
/// </summary>
internal sealed class NewcomerFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("newcomer-");

    public NewcomerFolder(PackedPackages? packages = null)
    {
        string machine = Environment.GetEnvironmentVariable("NUGET_PACKAGES")
            ?? System.IO.Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        DirectoryInfo others = _folder.CreateSubdirectory(".others");
        foreach (DirectoryInfo package in new DirectoryInfo(machine)
            .EnumerateDirectories()
            .Where(package => !package.Name.StartsWith("quayside.", StringComparison.Ordinal)))
        {
            Directory.CreateSymbolicLink(System.IO.Path.Combine(others.FullName, package.Name), package.FullName);
        }

        Write("nuget.config", $"""
            <?xml version="1.0" encoding="utf-8"?>
            <configuration>
              <config><add key="globalPackagesFolder" value="{Combine(".packages")}" /></config>
              <packageSources>{(packages is null ? string.Empty : $"""<add key="packed" value="{packages.Folder}" />""")}</packageSources>
              <fallbackPackageFolders><add key="machine" value="{others.FullName}" /></fallbackPackageFolders>
            </configuration>
            """);
    }

    public string Path => _folder.FullName;

    public string Combine(params ReadOnlySpan<string> parts) => System.IO.Path.Combine([Path, .. parts]);

    public void Write(string name, string text) => File.WriteAllText(Combine(name), text);

    public void Dispose() => _folder.Delete(recursive: true);
}
