namespace Proof.Kills;

/// <summary>The folder sink.</summary>
internal sealed class FolderStore(string folder) : IStore
{
    public IReadOnlyList<string> Arguments { get; } = ["--Routes:archive:Sink=Directory", $"--Sinks:Directory:Path={folder}"];

    // Files that a killed worker left unfinished have another extension.
    public Task<IReadOnlyDictionary<string, byte[]>> ReadAsync() => Task.FromResult<IReadOnlyDictionary<string, byte[]>>(Directory
        .EnumerateFiles(folder, "*.json", SearchOption.AllDirectories)
        .ToDictionary(file => Path.GetRelativePath(folder, file), File.ReadAllBytes));

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
