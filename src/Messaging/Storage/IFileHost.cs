using Microsoft.Win32.SafeHandles;

namespace Quayside.Messaging.Storage;

/// <summary>
/// What this folder's classes need of the machine: calls that may block, and threads that may be blocked. Calls throw the exceptions of
/// System.IO (<see cref="FileFaults"/>). The simulation replaces it. Threads: any.
/// </summary>
internal interface IFileHost
{
    /// <summary>Creates a file for writing, unless the name is taken. It is locked against <see cref="TryOpenLocked"/> until it is closed.</summary>
    SafeFileHandle Create(string path);

    /// <summary>Sets the permissions of a new file on Unix and writes its content.</summary>
    void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, UnixFileMode mode);

    /// <summary>Makes a file's content durable.</summary>
    void Flush(SafeFileHandle file);

    /// <summary>Opens a file for reading, even if it is open elsewhere.</summary>
    SafeFileHandle Open(string path);

    /// <summary>As <see cref="RegularFile.TryOpenLocked"/>.</summary>
    SafeFileHandle? TryOpenLocked(string path);

    long LengthOf(SafeFileHandle file);

    /// <summary>Reads from an offset.</summary>
    /// <returns>The number of bytes; 0 at the end.</returns>
    int Read(SafeFileHandle file, Span<byte> bytes, long offset);

    /// <summary>As <see cref="RegularFile.ReadAll(SafeFileHandle, string, int)"/>.</summary>
    byte[] ReadAll(SafeFileHandle file, string path, int maxBytes);

    /// <summary>Closes a file and releases its lock. Does not block.</summary>
    void Close(SafeFileHandle file);

    /// <summary>Gives a file its final name, atomically and only if that name is free. It may keep its temporary name too.</summary>
    /// <returns>0, or an errno; <see cref="PosixCalls.Eexist"/> when the name is taken, <see cref="PosixCalls.Enoent"/> when its folder is missing.</returns>
    int Name(string temporary, string path);

    void Delete(string path);

    /// <summary>As <see cref="File.Move(string, string)"/>, within one file system: never over another file.</summary>
    void Move(string path, string target);

    bool FileExists(string path);

    bool FolderExists(string path);

    bool IsLink(string path);

    /// <summary>Creates a folder, unless it exists; never one above it.</summary>
    void CreateFolder(string path);

    /// <summary>Makes the names in a folder durable. Does nothing on Windows.</summary>
    void SyncFolder(string path);

    /// <summary>The paths of a folder's files that match a pattern with <c>*</c>.</summary>
    IEnumerable<string> Find(string folder, string pattern);

    DateTime LastWrittenAt(string path);

    /// <summary>Starts a thread that does not keep the process alive.</summary>
    /// <exception cref="OutOfMemoryException">The process can start no more threads.</exception>
    void StartThread(Action run, string name);

    /// <summary>As <see cref="Monitor.Wait(object)"/>.</summary>
    void Wait(object gate);

    /// <summary>As <see cref="Monitor.Pulse"/>.</summary>
    void Pulse(object gate);

    /// <summary>As <see cref="Monitor.PulseAll"/>.</summary>
    void PulseAll(object gate);
}
