using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>A small file system of its own, which a test can fill and make read-only. Needs root on Linux.</summary>
internal sealed class Tmpfs : IAsyncDisposable
{
    private Tmpfs(string path) => Path = path;

    public string Path { get; }

    /// <summary>Skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, where tmpfs cannot be mounted.</summary>
    /// <param name="size">As mount(8) takes it, such as <c>2m</c>.</param>
    public static async Task<Tmpfs> MountAsync(string size)
    {
        if (!OperatingSystem.IsLinux())
        {
            Assert.Skip("needs Linux");
        }

        string path = Directory.CreateTempSubdirectory("tmpfs-").FullName;
        if (await RunAsync("mount", "-t", "tmpfs", "-o", $"size={size}", "tmpfs", path) != 0)
        {
            Directory.Delete(path);
            RequiredServers.Missing("A tmpfs can be mounted by root only.");
        }

        return new Tmpfs(path);
    }

    /// <summary>Fills the file system.</summary>
    /// <returns>The file whose deletion frees the space.</returns>
    public string Fill()
    {
        string path = System.IO.Path.Combine(Path, "ballast");
        using FileStream file = File.Create(path);
        byte[] page = new byte[4096];
        try
        {
            while (true)
            {
                file.Write(page);
                file.Flush();
            }
        }
        catch (IOException)
        {
            return path;
        }
    }

    /// <param name="mode"><c>ro</c> or <c>rw</c>.</param>
    public async Task RemountAsync(string mode) => (await RunAsync("mount", "-o", $"remount,{mode}", Path)).ShouldBe(0);

    public async ValueTask DisposeAsync()
    {
        await RunAsync("umount", "--lazy", Path);
        Directory.Delete(Path);
    }

    private static async Task<int> RunAsync(string fileName, params string[] arguments)
    {
        await using CapturedProcess process = CapturedProcess.Start(fileName, arguments);
        return await process.WaitForExitAsync();
    }
}
