namespace Proof.Models;

/// <summary>A file or a folder of a <see cref="DiskModel"/>, whatever its names.</summary>
internal sealed class DiskFile(int number, bool isFolder, object? creator)
{
    /// <summary>Names in traces, since temporary names are random.</summary>
    public int Number => number;

    public bool IsFolder => isFolder;

    /// <summary>The process that wrote it.</summary>
    public object? Creator => creator;

    /// <summary>What processes read.</summary>
    public byte[] Content { get; set; } = [];

    /// <summary>What a power cut leaves for certain; null before the first flush.</summary>
    public byte[]? Flushed { get; set; }

    /// <summary>True after a flush that failed: the operating system may have dropped the bytes, and a later flush reports success all the same.</summary>
    public bool IsDropped { get; set; }

    public DateTime WrittenAt { get; set; }

    /// <summary>Open handles, each of which locks it.</summary>
    public int Handles { get; set; }
}
