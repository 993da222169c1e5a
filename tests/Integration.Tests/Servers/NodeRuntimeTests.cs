namespace Integration.Tests.Servers;

public sealed class NodeRuntimeTests
{
    [Fact]
    public async Task InstallPackagesAsync_LockFileDoesNotFit_SaysThatTheServerIsUnavailable()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("node-");
        try
        {
            // npm ci compares the two before it contacts a registry.
            await File.WriteAllTextAsync(Path.Combine(folder.FullName, "package.json"), """{ "name": "a", "dependencies": { "fauxqs": "1.9.2" } }""");
            await File.WriteAllTextAsync(Path.Combine(folder.FullName, "package-lock.json"), """{ "name": "a", "lockfileVersion": 3, "packages": {} }""");

            await Should.ThrowAsync<ServerUnavailableException>(NodeRuntime.InstallPackagesAsync(folder.FullName));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
