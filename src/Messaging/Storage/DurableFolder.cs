using System.Buffers;
using System.Collections.Concurrent;
using Microsoft.Win32.SafeHandles;

namespace Quayside.Messaging.Storage;

/// <summary>
/// A folder into which files are placed whole or not at all, and never over another file: write to a temporary name, fsync, give the
/// final name if it is free, fsync the folder. No half-written file ever has a final name, even after a crash or on a full disk.
/// Calls block the calling thread, and hang while the file system hangs: run them on <see cref="FileThreads"/>. Threads: any number at
/// once, also several processes. About 650 B allocated per file, nearly all of it paths and the handle.
/// </summary>
internal sealed partial class DurableFolder
{
    /// <summary>The folder of unfinished files, below the root: the same file system, so that giving the final name copies nothing.</summary>
    public const string TemporaryFolder = ".tmp";

    /// <summary>Permissions unless others are configured: 0640.</summary>
    public const UnixFileMode DefaultMode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;

    // w: the message also exists elsewhere; m: this may be its only copy, and no start deletes it unread.
    private const string TemporaryPrefix = "w-";
    private const string OnlyCopyPrefix = "m-";
    private const string TemporarySuffix = ".tmp";

    // Bytes per read of a comparison; the array pool keeps arrays of this size.
    private const int CompareChunk = 64 * 1024;

    // Folders known to be durable are remembered, so that a file costs no mkdir and no fsync of the folders above it. With one folder per
    // site key and hour, 16,384 are days of many sites, at about 200 B each. A full set is cleared, which costs a few fsyncs.
    private const int RememberedFolders = 16_384;

    private readonly IFileHost _host;
    private readonly bool _fsync;
    private readonly UnixFileMode _mode;
    private readonly int _rememberedFolders;
    private readonly string _route;
    private readonly string _temporary;
    private readonly string _onlyCopy;
    private readonly ConcurrentDictionary<string, SharedSync> _folders = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, SharedSync>.AlternateLookup<ReadOnlySpan<char>> _foldersBySpan;
    private volatile bool _isCreated;
    private int _remembered;
    private long _sequence;

    /// <param name="root">The folder; made absolute here, created by <see cref="Prepare"/>.</param>
    /// <param name="fsync">False trades safety against power loss for speed; a crash of the process alone loses nothing either way.</param>
    /// <param name="mode">Permissions of its files on Unix, whatever the umask.</param>
    /// <param name="rememberedFolders">How many durable folders are remembered before the set is cleared.</param>
    /// <param name="route">The route that writes here; empty without one. The names of its unfinished files contain it.</param>
    /// <param name="host">The machine; null for the operating system.</param>
    public DurableFolder(
        string root, bool fsync, UnixFileMode mode = DefaultMode, int rememberedFolders = RememberedFolders, string route = "", IFileHost? host = null)
    {
        _host = host ?? SystemFileHost.Instance;
        Root = Path.TrimEndingDirectorySeparator(Path.GetFullPath(root));
        _fsync = fsync;
        _mode = mode;
        _rememberedFolders = rememberedFolders;
        _route = route;
        _foldersBySpan = _folders.GetAlternateLookup<ReadOnlySpan<char>>();

        // Random, so that two workers on one folder never use the same temporary name.
        string writer = $"{Guid.NewGuid():N}-";
        _temporary = Path.Combine(Root, TemporaryFolder, TemporaryPrefix + writer);
        _onlyCopy = Path.Combine(Root, TemporaryFolder, $"{OnlyCopyPrefix}{(route.Length == 0 ? string.Empty : $"{route}-")}{writer}");
    }

    /// <summary>True while the folder is one that <see cref="Prepare"/> has made: not removed, and not a mount point without its volume.</summary>
    public bool IsPrepared => _host.FolderExists(Path.Combine(Root, TemporaryFolder));

    /// <summary>The error of a folder that was prepared and is not any more.</summary>
    public DirectoryNotFoundException Gone(Exception? cause = null) => new($"'{Root}' is no longer a folder with '{TemporaryFolder}' in it.", cause);

    /// <summary>The absolute path, without a trailing separator.</summary>
    public string Root { get; }

    /// <summary>
    /// Creates the folder and checks that files can be placed in it. Once it has been created or found, further calls only check, even if no file could be
    /// placed.
    /// </summary>
    /// <exception cref="IOException">They cannot.</exception>
    /// <exception cref="UnauthorizedAccessException">They cannot.</exception>
    public void Prepare()
    {
        if (!_isCreated)
        {
            CreateRoot();
            _host.CreateFolder(Path.Combine(Root, TemporaryFolder));
            _isCreated = true;
        }

        string probe = $"{TemporaryFolder}/{TemporaryPrefix}{Guid.NewGuid():N}{TemporarySuffix}";
        Place(probe, "probe"u8);
        _host.Delete(PathOf(probe));
    }

    /// <summary>The absolute path of a file.</summary>
    public string PathOf(string relativePath) => string.Concat(Root, "/", relativePath);

    /// <summary>Places a file whole and durably, unless its name is taken.</summary>
    /// <param name="relativePath">Path below the root, with <c>/</c> between segments; the caller keeps it inside the root.</param>
    /// <param name="bytes">Its content; may be empty.</param>
    /// <param name="isOnlyCopy">True when the bytes exist nowhere else: <see cref="FindUnfinished"/> then finds what a crash leaves.</param>
    /// <exception cref="IOException">The file system reported an error, which <see cref="FileFaults"/> classifies. No file was left, unless only the fsync of
    /// its folder failed.</exception>
    /// <exception cref="UnauthorizedAccessException">The same.</exception>
    public PlaceResult Place(string relativePath, ReadOnlySpan<byte> bytes, bool isOnlyCopy = false)
    {
        string path = PathOf(relativePath);
        string temporary = $"{(isOnlyCopy ? _onlyCopy : _temporary)}{Interlocked.Increment(ref _sequence):x}-{bytes.Length:x}{TemporarySuffix}";
        SafeFileHandle? file = null;
        try
        {
            // The temporary folder is not recreated: if it is missing, a volume was most likely unmounted, and writing would fill the
            // disk below the mount point. The file stays open, and so locked, until its temporary name is deleted: an unlocked file
            // belongs to a process that died.
            file = _host.Create(temporary);
            Write(file, bytes);
            if (TryName(temporary, path))
            {
                // Again: another thread may have created a removed folder anew, and not made its name durable yet.
                EnsureFolder(FolderOf(path));
                Sync(path);
                return PlaceResult.Placed;
            }
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception)
            && (exception is DirectoryNotFoundException || FileFaults.Classify(exception) == FileFault.Rejected)
            && !IsPrepared)
        {
            throw Gone(exception);
        }
        finally
        {
            DeleteTemporary(temporary);
            if (file is not null)
            {
                _host.Close(file);
            }
        }

        bool hasSameBytes = Compare(path, bytes);

        // What placed it, a thread of this process or another one, may have died, or may still be, between giving the name and making it durable.
        EnsureFolder(FolderOf(path));
        Sync(path);
        return hasSameBytes ? PlaceResult.SameBytes : PlaceResult.OtherBytes;
    }

    /// <summary>Deletes a file durably; nothing happens when it is not there.</summary>
    public void Delete(string relativePath)
    {
        string path = PathOf(relativePath);
        if (_host.FileExists(path))
        {
            _host.Delete(path);
            Sync(path);
        }
    }

    private void CreateRoot()
    {
        Stack<string> missing = new();
        string? existing = Root;
        while (existing is not null && !_host.FolderExists(existing))
        {
            missing.Push(existing);
            existing = Path.GetDirectoryName(existing);
        }

        SyncExisting(existing);
        foreach (string folder in missing)
        {
            _host.CreateFolder(folder);
            if (_fsync && Path.GetDirectoryName(folder) is { } parent)
            {
                _host.SyncFolder(parent);
            }
        }
    }

    // The process that created the folder may have died, or may hang, before its name is durable.
    private void SyncExisting(string? folder)
    {
        try
        {
            if (_fsync && Path.GetDirectoryName(folder) is { } parent)
            {
                _host.SyncFolder(parent);
            }
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception) && FileFaults.Classify(exception) != FileFault.Transient)
        {
            // The folder above belongs to another user, who created this one.
        }
    }

    private void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes)
    {
        _host.Write(file, bytes, _mode);
        if (_fsync)
        {
            _host.Flush(file);
        }
    }

    private bool TryName(string temporary, string path)
    {
        EnsureFolder(FolderOf(path));
        int error = _host.Name(temporary, path);
        if (error == PosixCalls.Enoent)
        {
            // The folder was removed after it was remembered.
            Forget();
            EnsureFolder(FolderOf(path));
            error = _host.Name(temporary, path);
        }

        return error switch
        {
            0 => true,
            PosixCalls.Eexist => false,
            _ => throw PosixCalls.Failure("link", path, error),
        };
    }

    // The folder accepts files, so a file that cannot be read is a problem of this name alone: a broken symbolic link, a FIFO, another
    // user's file. Classified as refused, it would stop the route.
    private bool Compare(string path, ReadOnlySpan<byte> bytes)
    {
        try
        {
            return HasBytes(path, bytes);
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException && !_host.IsLink(path))
        {
            throw new IOException($"'{path}' was deleted while it was compared.", exception);
        }
        catch (Exception exception) when (exception is NotSupportedException
            || (FileFaults.IsFileFault(exception) && FileFaults.Classify(exception) == FileFault.Refused))
        {
            throw new IOException($"The name '{path}' is taken by something that cannot be read ({exception.GetType().Name}).", PosixCalls.Eexist);
        }
    }

    private bool HasBytes(string path, ReadOnlySpan<byte> bytes)
    {
        if (_host.FolderExists(path))
        {
            throw new IOException($"'{path}' is a folder.", PosixCalls.Eexist);
        }

        SafeFileHandle file = _host.Open(path);
        byte[] chunk = ArrayPool<byte>.Shared.Rent(CompareChunk);
        try
        {
            if (_host.LengthOf(file) != bytes.Length)
            {
                return false;
            }

            long offset = 0;
            while (!bytes.IsEmpty)
            {
                int read = _host.Read(file, chunk.AsSpan(0, Math.Min(chunk.Length, bytes.Length)), offset);
                if (read == 0 || !bytes[..read].SequenceEqual(chunk.AsSpan(0, read)))
                {
                    return false;
                }

                bytes = bytes[read..];
                offset += read;
            }

            // Written without Fsync, or by another program, it may not be on the disk. Windows flushes only what is open for writing.
            if (_fsync && !OperatingSystem.IsWindows())
            {
                _host.Flush(file);
            }

            return true;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(chunk);
            _host.Close(file);
        }
    }

    // Creates missing folders and makes each name durable in the folder above it, even if another process created it: that process may
    // have died between mkdir and fsync, so only folders that this process has synced count.
    private void EnsureFolder(ReadOnlySpan<char> folder)
    {
        if (folder.Length <= Root.Length || _foldersBySpan.ContainsKey(folder))
        {
            return;
        }

        EnsureFolder(FolderOf(folder));
        string path = folder.ToString();
        try
        {
            _host.CreateFolder(path);
        }
        catch (DirectoryNotFoundException)
        {
            // The folder above was removed after it was remembered.
            Forget();
            EnsureFolder(FolderOf(folder));
            _host.CreateFolder(path);
        }

        Sync(path);
        if (Interlocked.Increment(ref _remembered) > _rememberedFolders)
        {
            Forget();
        }

        _folders[path] = CreateSync(path);
    }

    // Not in the method above, which would allocate the closure for every file.
    private SharedSync CreateSync(string folder) => new(() => _host.SyncFolder(folder), _host);

    private void Forget()
    {
        _folders.Clear();
        Volatile.Write(ref _remembered, 0);
    }

    /// <summary>Makes the name of a file or folder durable.</summary>
    private void Sync(string path)
    {
        if (!_fsync)
        {
            return;
        }

        if (_foldersBySpan.TryGetValue(FolderOf(path), out SharedSync? shared))
        {
            shared.Run();
        }
        else
        {
            _host.SyncFolder(FolderOf(path).ToString());
        }
    }

    private static ReadOnlySpan<char> FolderOf(ReadOnlySpan<char> path) => path[..path.LastIndexOf('/')];

    private void DeleteTemporary(string temporary)
    {
        try
        {
            _host.Delete(temporary);
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            // A temporary file that is left must not turn a stored file into a failure; a later start deletes it.
        }
    }
}

/// <summary>The outcome of <see cref="DurableFolder.Place"/>.</summary>
internal enum PlaceResult
{
    /// <summary>No outcome: a defect.</summary>
    Undecided = 0,

    /// <summary>This call placed the file, durably.</summary>
    Placed,

    /// <summary>A file of that name existed with the same bytes; it is durable now.</summary>
    SameBytes,

    /// <summary>A file of that name existed with other bytes. It is durable now, and was not changed.</summary>
    OtherBytes,
}
