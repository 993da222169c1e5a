using System.Buffers;
using System.Collections.Concurrent;
using Microsoft.Win32.SafeHandles;

namespace Messaging.Files;

/// <summary>
/// A folder that files are placed into whole or not at all, and never over another: write to a temporary name, fsync, give the
/// final name if it is free, fsync the folder. A reader, a crash or a full disk never sees half a file under a final name.
/// Calls block the calling thread, and hang with a file system that hangs: <see cref="FileThreads"/> are for them. Threads: any
/// number at once, also several processes. About 650 B allocated per file, nearly all of it paths and the handle.
/// </summary>
internal sealed partial class DurableFolder
{
    /// <summary>The folder of unfinished files, below the root: the same file system, so that giving the final name copies nothing.</summary>
    public const string TemporaryFolder = ".tmp";

    /// <summary>Permissions unless others are configured: 0640.</summary>
    public const UnixFileMode DefaultMode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;

    // w: the message is somewhere else too; m: this may be its only copy, and no start deletes it unread.
    private const string TemporaryPrefix = "w-";
    private const string OnlyCopyPrefix = "m-";
    private const string TemporarySuffix = ".tmp";

    // What one read of a comparison takes; the pool has arrays of this size at hand.
    private const int CompareChunk = 64 * 1024;

    // Folders known to be durable are remembered so that a file costs no mkdir and no fsync of the folders above it. An hour's
    // folder a site key: 16,384 is days of many sites, at about 200 B each. When full it starts again, which costs a few fsyncs.
    private const int RememberedFolders = 16_384;

    private readonly bool _fsync;
    private readonly UnixFileMode _mode;
    private readonly int _rememberedFolders;
    private readonly string _temporary;
    private readonly string _onlyCopy;
    private readonly ConcurrentDictionary<string, bool> _folders = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, bool>.AlternateLookup<ReadOnlySpan<char>> _foldersBySpan;
    private int _remembered;
    private long _sequence;

    /// <param name="root">The folder; made absolute here, created by <see cref="Prepare"/>.</param>
    /// <param name="fsync">False trades safety against power loss for speed; a crash of the process alone loses nothing either way.</param>
    /// <param name="mode">Permissions of its files on Unix, whatever the umask.</param>
    /// <param name="rememberedFolders">How many folders are known to be durable before remembering starts anew.</param>
    public DurableFolder(string root, bool fsync, UnixFileMode mode = DefaultMode, int rememberedFolders = RememberedFolders)
    {
        Root = Path.TrimEndingDirectorySeparator(Path.GetFullPath(root));
        _fsync = fsync;
        _mode = mode;
        _rememberedFolders = rememberedFolders;
        _foldersBySpan = _folders.GetAlternateLookup<ReadOnlySpan<char>>();

        // Random, so that two workers on one folder never meet in a temporary name.
        string writer = $"{Guid.NewGuid():N}-";
        _temporary = Path.Combine(Root, TemporaryFolder, TemporaryPrefix + writer);
        _onlyCopy = Path.Combine(Root, TemporaryFolder, OnlyCopyPrefix + writer);
    }

    /// <summary>The absolute path, without a trailing separator.</summary>
    public string Root { get; }

    /// <summary>Creates the folder and proves that files can be placed in it.</summary>
    /// <exception cref="IOException">They cannot.</exception>
    /// <exception cref="UnauthorizedAccessException">They cannot.</exception>
    public void Prepare()
    {
        CreateRoot();
        Directory.CreateDirectory(Path.Combine(Root, TemporaryFolder));
        string probe = $"{TemporaryFolder}/{TemporaryPrefix}{Guid.NewGuid():N}{TemporarySuffix}";
        Place(probe, "probe"u8);
        File.Delete(PathOf(probe));
    }

    /// <summary>The absolute path of a file.</summary>
    public string PathOf(string relativePath) => string.Concat(Root, "/", relativePath);

    /// <summary>Places a file whole and durably, unless its name is taken.</summary>
    /// <param name="relativePath">Below the root, <c>/</c> between segments, confined by the caller.</param>
    /// <param name="bytes">Its content; may be empty.</param>
    /// <param name="isOnlyCopy">True when a crash would leave them nowhere else: then <see cref="FindUnfinished"/> finds what a crash leaves.</param>
    /// <exception cref="IOException">The file system refused; <see cref="FileFaults"/> says how. No file was left.</exception>
    /// <exception cref="UnauthorizedAccessException">The same.</exception>
    public PlaceResult Place(string relativePath, ReadOnlySpan<byte> bytes, bool isOnlyCopy = false)
    {
        string path = PathOf(relativePath);
        string temporary = $"{(isOnlyCopy ? _onlyCopy : _temporary)}{Interlocked.Increment(ref _sequence):x}-{bytes.Length:x}{TemporarySuffix}";
        SafeFileHandle? file = null;
        try
        {
            // No recreating of the temporary folder: when it is gone, a volume was most likely unmounted, and writing on would fill
            // the disk below the mount point. Open, and so locked, until the name is gone: a file that is not belongs to a process
            // that died.
            file = File.OpenHandle(temporary, FileMode.CreateNew, FileAccess.Write, FileShare.Read | FileShare.Delete);
            Write(file, bytes);
            if (TryName(temporary, path))
            {
                Sync(path);
                return PlaceResult.Placed;
            }
        }
        finally
        {
            DeleteTemporary(temporary);
            file?.Dispose();
        }

        if (!Compare(path, bytes))
        {
            return PlaceResult.OtherBytes;
        }

        // The process that placed it may have died, or still be, between giving the name and making it durable.
        EnsureFolder(FolderOf(path));
        Sync(path);
        return PlaceResult.SameBytes;
    }

    /// <summary>Deletes a file durably; nothing happens when it is not there.</summary>
    public void Delete(string relativePath)
    {
        string path = PathOf(relativePath);
        if (File.Exists(path))
        {
            File.Delete(path);
            Sync(path);
        }
    }

    private void CreateRoot()
    {
        Stack<string> missing = new();
        for (string? folder = Root; folder is not null && !Directory.Exists(folder); folder = Path.GetDirectoryName(folder))
        {
            missing.Push(folder);
        }

        foreach (string folder in missing)
        {
            Directory.CreateDirectory(folder);
            if (_fsync && !OperatingSystem.IsWindows() && Path.GetDirectoryName(folder) is { } parent)
            {
                PosixCalls.SyncFolder(parent);
            }
        }
    }

    private void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes)
    {
        if (!OperatingSystem.IsWindows())
        {
            // Before there is anything to read in it.
            File.SetUnixFileMode(file, _mode);
        }

        RandomAccess.Write(file, bytes, 0);
        if (_fsync)
        {
            RandomAccess.FlushToDisk(file);
        }
    }

    private bool TryName(string temporary, string path)
    {
        EnsureFolder(FolderOf(path));
        if (OperatingSystem.IsWindows())
        {
            return TryMove(temporary, path, again: true);
        }

        int error = PosixCalls.Link(temporary, path);
        if (error == PosixCalls.Enoent)
        {
            // The folder was removed after it was remembered.
            Forget();
            EnsureFolder(FolderOf(path));
            error = PosixCalls.Link(temporary, path);
        }

        return error switch
        {
            0 => true,
            PosixCalls.Eexist => false,
            _ => throw PosixCalls.Failure("link", path, error),
        };
    }

    // MoveFileEx without MOVEFILE_REPLACE_EXISTING does not overwrite, atomically.
    private bool TryMove(string temporary, string path, bool again)
    {
        try
        {
            File.Move(temporary, path, overwrite: false);
            return true;
        }
        catch (DirectoryNotFoundException) when (again)
        {
            Forget();
            EnsureFolder(FolderOf(path));
            return TryMove(temporary, path, again: false);
        }
        catch (IOException) when (File.Exists(path))
        {
            return false;
        }
    }

    // The folder takes files, so what cannot be read is this name's fault alone: a symbolic link that leads nowhere, a FIFO, another
    // user's file. Taken for a refusal it would stop the route.
    private static bool Compare(string path, ReadOnlySpan<byte> bytes)
    {
        try
        {
            return HasBytes(path, bytes);
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException && new FileInfo(path).LinkTarget is null)
        {
            throw new IOException($"'{path}' was deleted while it was compared.", exception);
        }
        catch (Exception exception) when (exception is NotSupportedException || (FileFaults.IsFileFault(exception) && FileFaults.Classify(exception) == FileFault.Refused))
        {
            throw new IOException($"The name '{path}' is taken by something that cannot be read ({exception.GetType().Name}).", PosixCalls.Eexist);
        }
    }

    private static bool HasBytes(string path, ReadOnlySpan<byte> bytes)
    {
        if (Directory.Exists(path))
        {
            throw new IOException($"'{path}' is a folder.", PosixCalls.Eexist);
        }

        byte[] chunk = ArrayPool<byte>.Shared.Rent(CompareChunk);
        try
        {
            using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            if (RandomAccess.GetLength(file) != bytes.Length)
            {
                return false;
            }

            long offset = 0;
            while (!bytes.IsEmpty)
            {
                int read = RandomAccess.Read(file, chunk.AsSpan(0, Math.Min(chunk.Length, bytes.Length)), offset);
                if (read == 0 || !bytes[..read].SequenceEqual(chunk.AsSpan(0, read)))
                {
                    return false;
                }

                bytes = bytes[read..];
                offset += read;
            }

            return true;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(chunk);
        }
    }

    // Creates what is missing and makes each new name durable in the folder above it, also where another created it: a process may have
    // died between mkdir and fsync, so only what this process has synced itself counts.
    private void EnsureFolder(ReadOnlySpan<char> folder)
    {
        if (folder.Length <= Root.Length || _foldersBySpan.ContainsKey(folder))
        {
            return;
        }

        EnsureFolder(FolderOf(folder));
        string path = folder.ToString();
        Directory.CreateDirectory(path);
        Sync(path);
        if (Interlocked.Increment(ref _remembered) > _rememberedFolders)
        {
            Forget();
        }

        _folders[path] = true;
    }

    private void Forget()
    {
        _folders.Clear();
        Volatile.Write(ref _remembered, 0);
    }

    private void Sync(string path)
    {
        if (_fsync && !OperatingSystem.IsWindows())
        {
            PosixCalls.SyncFolder(FolderOf(path).ToString());
        }
    }

    private static ReadOnlySpan<char> FolderOf(ReadOnlySpan<char> path) => path[..path.LastIndexOf('/')];

    private static void DeleteTemporary(string temporary)
    {
        try
        {
            File.Delete(temporary);
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            // Never turns a stored file into a failure; the next start deletes it.
        }
    }
}
