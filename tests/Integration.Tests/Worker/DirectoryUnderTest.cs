namespace Integration.Tests.Worker;

internal sealed class DirectoryUnderTest : SinkUnderTest
{
    private readonly string _folder = Directory.CreateTempSubdirectory("objects-").FullName;

    public override IReadOnlyList<string> Arguments => ["--Routes:archive:Sink=Directory", $"--Sinks:Directory:Path={_folder}"];

    private string Temporary => Path.Combine(_folder, ".tmp");

    /// <summary>The path of an object's file.</summary>
    public string PathOf(string key) => Path.Combine(_folder, key);

    public override async Task<Dictionary<string, byte[]>> ReadAllAsync()
    {
        var objects = new Dictionary<string, byte[]>(StringComparer.Ordinal);
        foreach (string path in Directory.EnumerateFiles(_folder, "*", SearchOption.AllDirectories))
        {
            if (!path.StartsWith(Temporary + Path.DirectorySeparatorChar, StringComparison.Ordinal))
            {
                objects.Add(Path.GetRelativePath(_folder, path).Replace(Path.DirectorySeparatorChar, '/'), await File.ReadAllBytesAsync(path));
            }
        }

        return objects;
    }

    public override ValueTask DisposeAsync()
    {
        Directory.Delete(_folder, recursive: true);
        return ValueTask.CompletedTask;
    }
}
