using Microsoft.Win32.SafeHandles;

namespace Quayside.Messaging.Storage;

/// <summary>The operating system's files and threads.</summary>
internal sealed class SystemFileHost : IFileHost
{
    private SystemFileHost()
    {
    }

    public static SystemFileHost Instance { get; } = new();

    public SafeFileHandle Create(string path) => File.OpenHandle(path, FileMode.CreateNew, FileAccess.Write, FileShare.Read | FileShare.Delete);

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, UnixFileMode mode)
    {
        if (!OperatingSystem.IsWindows())
        {
            // Set before the file has any content.
            File.SetUnixFileMode(file, mode);
        }

        RandomAccess.Write(file, bytes, 0);
    }

    public void Flush(SafeFileHandle file) => RandomAccess.FlushToDisk(file);

    public SafeFileHandle Open(string path) => File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);

    public SafeFileHandle? TryOpenLocked(string path) => RegularFile.TryOpenLocked(path);

    public long LengthOf(SafeFileHandle file) => RandomAccess.GetLength(file);

    public int Read(SafeFileHandle file, Span<byte> bytes, long offset) => RandomAccess.Read(file, bytes, offset);

    public byte[] ReadAll(SafeFileHandle file, string path, int maxBytes) => RegularFile.ReadAll(file, path, maxBytes);

    public void Close(SafeFileHandle file) => file.Dispose();

    public int Name(string temporary, string path) => OperatingSystem.IsWindows() ? NameByMove(temporary, path) : PosixCalls.Link(temporary, path);

    public void Delete(string path) => File.Delete(path);

    public void Move(string path, string target) => File.Move(path, target);

    public bool FileExists(string path) => File.Exists(path);

    public bool FolderExists(string path) => Directory.Exists(path);

    public bool IsLink(string path) => new FileInfo(path).LinkTarget is not null;

    public void CreateFolder(string path)
    {
        if (OperatingSystem.IsWindows())
        {
            Directory.CreateDirectory(path);
            return;
        }

        int error = PosixCalls.MakeFolder(path);
        if (error == PosixCalls.Enoent)
        {
            throw new DirectoryNotFoundException($"'{path}' cannot be created: the folder above it is missing.");
        }

        if (error != 0 && !(error == PosixCalls.Eexist && FolderExists(path)))
        {
            IOException failure = PosixCalls.Failure("mkdir", path, error);

            // As the file calls of .NET: an IOException of EPERM would look like that of a link on a file system without hard links.
            throw error is PosixCalls.Eperm or PosixCalls.Eacces ? new UnauthorizedAccessException(failure.Message, failure) : failure;
        }
    }

    public void SyncFolder(string path)
    {
        if (!OperatingSystem.IsWindows())
        {
            PosixCalls.SyncFolder(path);
        }
    }

    public IEnumerable<string> Find(string folder, string pattern) => Directory.EnumerateFiles(folder, pattern);

    public DateTime LastWrittenAt(string path) => File.GetLastWriteTimeUtc(path);

    public void StartThread(Action run, string name) => new Thread(() => run()) { IsBackground = true, Name = name }.Start();

    public void Wait(object gate) => Monitor.Wait(gate);

    public void Pulse(object gate) => Monitor.Pulse(gate);

    public void PulseAll(object gate) => Monitor.PulseAll(gate);

    // MoveFileEx without MOVEFILE_REPLACE_EXISTING is atomic and does not overwrite.
    private static int NameByMove(string temporary, string path)
    {
        try
        {
            File.Move(temporary, path, overwrite: false);
            return 0;
        }
        catch (DirectoryNotFoundException)
        {
            return PosixCalls.Enoent;
        }
        catch (IOException) when (File.Exists(path))
        {
            return PosixCalls.Eexist;
        }
    }
}
