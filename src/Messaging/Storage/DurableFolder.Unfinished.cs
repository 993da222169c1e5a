using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace Quayside.Messaging.Storage;

/// <content>Files that processes left unfinished when they died.</content>
internal sealed partial class DurableFolder
{
    // No write takes this long, so such a file belongs to a process that died. Process ids mean nothing across containers.
    private static readonly TimeSpan AbandonedAfter = TimeSpan.FromHours(1);

    /// <summary>Deletes unfinished files of processes that died, if their messages also exist elsewhere.</summary>
    /// <param name="now">The current time.</param>
    /// <returns>How many were deleted.</returns>
    public int DeleteAbandoned(DateTimeOffset now)
    {
        int deleted = 0;
        foreach (string path in _host.Find(Path.Combine(Root, TemporaryFolder), $"{TemporaryPrefix}*{TemporarySuffix}"))
        {
            try
            {
                if (now.UtcDateTime - _host.LastWrittenAt(path) > AbandonedAfter)
                {
                    _host.Delete(path);
                    deleted++;
                }
            }
            catch (Exception exception) when (FileFaults.IsFileFault(exception))
            {
                // Another user's file, or already deleted: it only costs space.
            }
        }

        return deleted;
    }

    /// <summary>
    /// The unfinished files whose bytes may exist nowhere else, including those of processes that still run: those of this folder's route
    /// and those without a route. Those of other routes only when they are older than an hour, since the route may no longer exist.
    /// </summary>
    /// <param name="now">The current time.</param>
    public IReadOnlyList<string> FindUnfinished(DateTimeOffset now) =>
        [.. _host.Find(Path.Combine(Root, TemporaryFolder), $"{OnlyCopyPrefix}*{TemporarySuffix}").Where(path => IsOurs(path, now))];

    /// <summary>Opens an unfinished file and locks it against other workers that look for such files too.</summary>
    /// <param name="path">A path from <see cref="FindUnfinished"/>.</param>
    /// <param name="maxBytes">A longer file is refused.</param>
    /// <returns>Null when its process still runs, another worker has locked it, or it no longer exists.</returns>
    /// <exception cref="IOException">It is a symbolic link, not a regular file, too long, or cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">Access was refused.</exception>
    public UnfinishedFile? TryOpenUnfinished(string path, int maxBytes)
    {
        SafeFileHandle? file = null;
        try
        {
            file = _host.TryOpenLocked(path);
            if (file is null)
            {
                return null;
            }

            byte[] bytes = _host.ReadAll(file, path, maxBytes);
            string name = Path.GetFileNameWithoutExtension(path);
            bool isKnown = long.TryParse(name.AsSpan(name.LastIndexOf('-') + 1), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out long length);
            return new UnfinishedFile(_host, path, file, RouteOf(path), bytes, _host.LastWrittenAt(path), isKnown && length == bytes.Length);
        }
        catch (FileNotFoundException)
        {
            return null;
        }
        catch
        {
            if (file is not null)
            {
                _host.Close(file);
            }

            throw;
        }
    }

    private bool IsOurs(string path, DateTimeOffset now)
    {
        string route = RouteOf(path);
        return route.Length == 0
            || route.Equals(_route, StringComparison.OrdinalIgnoreCase)
            || now.UtcDateTime - _host.LastWrittenAt(path) > AbandonedAfter;
    }

    // m-{route}-{writer}-{number}-{length}: a route may contain dashes, the other parts do not. Earlier versions wrote no route.
    private static string RouteOf(string path)
    {
        string[] parts = Path.GetFileNameWithoutExtension(path).Split('-');
        return parts.Length > 4 ? string.Join('-', parts[1..^3]) : string.Empty;
    }
}

/// <summary>An unfinished file of a process that died, locked until <see cref="Dispose"/>.</summary>
/// <param name="host">The machine.</param>
/// <param name="path">Its absolute path.</param>
/// <param name="file">The open handle, which holds the lock.</param>
/// <param name="route">The route in its name; empty without one.</param>
/// <param name="bytes">What it holds.</param>
/// <param name="writtenAt">When it was last written, in UTC.</param>
/// <param name="isWhole">False when bytes are missing at its end.</param>
internal sealed class UnfinishedFile(
    IFileHost host, string path, SafeFileHandle file, string route, byte[] bytes, DateTime writtenAt, bool isWhole) : IDisposable
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
