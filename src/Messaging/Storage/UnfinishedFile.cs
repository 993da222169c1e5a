using Microsoft.Win32.SafeHandles;

namespace Messaging.Storage;

/// <summary>An unfinished file of a process that died, locked until <see cref="Dispose"/>.</summary>
/// <param name="host">The machine.</param>
/// <param name="path">Its absolute path.</param>
/// <param name="file">The open handle, which holds the lock.</param>
/// <param name="route">The route in its name; empty without one.</param>
/// <param name="bytes">What it holds.</param>
/// <param name="writtenAt">When it was last written, in UTC.</param>
/// <param name="isWhole">False when bytes are missing at its end.</param>
internal sealed class UnfinishedFile(IFileHost host, string path, SafeFileHandle file, string route, byte[] bytes, DateTime writtenAt, bool isWhole) : IDisposable
{
    public string Route => route;

    public ReadOnlyMemory<byte> Bytes => bytes;

    public DateTimeOffset WrittenAt => new(writtenAt);

    public bool IsWhole => isWhole;

    /// <summary>Deletes it; its bytes are safe elsewhere.</summary>
    /// <exception cref="IOException">It cannot be deleted.</exception>
    public void Delete() => host.Delete(path);

    /// <summary>Its bytes as a stream.</summary>
    public Stream OpenRead() => new MemoryStream(bytes, writable: false);

    public void Dispose() => host.Close(file);
}
