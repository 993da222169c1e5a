using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Quayside.Messaging.Storage;

/// <summary>Opens and reads a file that must be a regular one: a symbolic link is not followed, and a named pipe does not block.</summary>
internal static class RegularFile
{
    private const int Eacces = 13;
    private const int LoopLinux = 40;
    private const int LoopDarwin = 62;
    private const int WouldBlockLinux = 11;
    private const int WouldBlockDarwin = 35;
    private const int SharingViolation = unchecked((int)0x80070020);

    // O_RDWR of open(2), LOCK_EX | LOCK_NB of flock(2).
    private const int ReadWrite = 2;
    private const int ExclusiveNonBlocking = 2 | 4;

    [DllImport("libc", EntryPoint = "flock", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int LockCore(SafeFileHandle file, int operation);

    /// <summary>The file's bytes.</summary>
    /// <param name="path">The file.</param>
    /// <param name="maxBytes">A longer file is refused.</param>
    /// <exception cref="FileNotFoundException">The file does not exist.</exception>
    /// <exception cref="IOException">It is a symbolic link, not a file, too long, or cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">Access was refused.</exception>
    public static byte[] ReadAll(string path, int maxBytes)
    {
        using SafeFileHandle file = OpenForReading(path);
        return ReadAll(file, path, maxBytes);
    }

    /// <summary>The bytes of an open file.</summary>
    /// <param name="file">The file; stays open.</param>
    /// <param name="path">Its path, for error messages.</param>
    /// <param name="maxBytes">A longer file is refused.</param>
    /// <exception cref="IOException">It is not a regular file, too long, or cannot be read.</exception>
    public static byte[] ReadAll(SafeFileHandle file, string path, int maxBytes)
    {
        long length = LengthOf(file, path);
        return length <= maxBytes ? Read(file, path, (int)length) : throw new IOException($"'{path}' has {length} bytes; at most {maxBytes} are read.");
    }

    private static SafeFileHandle OpenForReading(string path) =>
        OperatingSystem.IsWindows() ? OpenOnWindows(path, FileAccess.Read, FileShare.Read) : Open(path, PosixCalls.ReadOnly);

    private static long LengthOf(SafeFileHandle file, string path)
    {
        try
        {
            return RandomAccess.GetLength(file);
        }
        catch (NotSupportedException exception)
        {
            throw new IOException($"'{path}' is not a regular file.", exception);
        }
    }

    private static byte[] Read(SafeFileHandle file, string path, int length)
    {
        byte[] bytes = new byte[length];
        for (int offset = 0; offset < bytes.Length;)
        {
            int read = RandomAccess.Read(file, bytes.AsSpan(offset), offset);
            offset += read > 0 ? read : throw new IOException($"'{path}' became shorter while it was read.");
        }

        return bytes;
    }

    /// <summary>The beginning of a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="maxBytes">The maximum number of bytes to read.</param>
    /// <param name="length">The length of the whole file in bytes.</param>
    /// <exception cref="FileNotFoundException">The file does not exist.</exception>
    /// <exception cref="IOException">It is a symbolic link, not a file, or cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">Access was refused.</exception>
    public static byte[] ReadStart(string path, int maxBytes, out long length)
    {
        using SafeFileHandle file = OpenForReading(path);
        length = LengthOf(file, path);
        return Read(file, path, (int)Math.Min(length, maxBytes));
    }

    /// <summary>Opens a file with the lock that <see cref="FileShare.None"/> takes. The caller disposes the handle.</summary>
    /// <returns>Null when a .NET process has it open.</returns>
    /// <exception cref="FileNotFoundException">The file does not exist.</exception>
    /// <exception cref="IOException">It is a symbolic link, or cannot be opened.</exception>
    /// <exception cref="UnauthorizedAccessException">Access was refused.</exception>
    public static SafeFileHandle? TryOpenLocked(string path)
    {
        if (OperatingSystem.IsWindows())
        {
            return TryOpenLockedOnWindows(path);
        }

        // For writing: NFS grants no exclusive lock on a file that is open only for reading.
        SafeFileHandle file = Open(path, ReadWrite);
        if (LockCore(file, ExclusiveNonBlocking) == 0 || Marshal.GetLastPInvokeError() != (OperatingSystem.IsLinux() ? WouldBlockLinux : WouldBlockDarwin))
        {
            // Any other error means a file system without locks; .NET opens the file there too.
            return file;
        }

        file.Dispose();
        return null;
    }

    [UnsupportedOSPlatform("windows")]
    private static SafeFileHandle Open(string path, int access)
    {
        int descriptor = PosixCalls.Open(path, access | Flags);
        if (descriptor >= 0)
        {
            return new SafeFileHandle(descriptor, ownsHandle: true);
        }

        int error = Marshal.GetLastPInvokeError();
        throw error switch
        {
            PosixCalls.Enoent => new FileNotFoundException($"'{path}' does not exist.", path),
            Eacces => new UnauthorizedAccessException($"'{path}': {new Win32Exception(error).Message}"),
            _ when error == (OperatingSystem.IsLinux() ? LoopLinux : LoopDarwin) => new IOException($"'{path}' is a symbolic link, which is not followed."),
            _ => PosixCalls.Failure("open", path, error),
        };
    }

    private static SafeFileHandle? TryOpenLockedOnWindows(string path)
    {
        try
        {
            return OpenOnWindows(path, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException exception) when (exception.HResult == SharingViolation)
        {
            return null;
        }
    }

    private static SafeFileHandle OpenOnWindows(string path, FileAccess access, FileShare share) => new FileInfo(path).LinkTarget is null
        ? File.OpenHandle(path, FileMode.Open, access, share)
        : throw new IOException($"'{path}' is a symbolic link, which is not followed.");

    // O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW. The last has another value on ARM and POWER under Linux (asm/fcntl.h).
    private static int Flags => !OperatingSystem.IsLinux() ? 0x1000000 | 0x4 | 0x100
        : RuntimeInformation.ProcessArchitecture is Architecture.Arm or Architecture.Arm64 or Architecture.Armv6 or Architecture.Ppc64le
        ? 0x80000 | 0x800 | 0x8000
        : 0x80000 | 0x800 | 0x20000;
}
