using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Worker.Files;

/// <summary>Reads a file that must be one: a symbolic link is not followed, and a named pipe does not block.</summary>
internal static class RegularFile
{
    private const int Eacces = 13;
    private const int LoopLinux = 40;
    private const int LoopDarwin = 62;

    [DllImport("libc", EntryPoint = "open", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int OpenCore([MarshalAs(UnmanagedType.LPUTF8Str)] string path, int flags);

    /// <summary>The file's bytes.</summary>
    /// <param name="path">The file.</param>
    /// <param name="maxBytes">A longer file is refused.</param>
    /// <exception cref="FileNotFoundException">There is none.</exception>
    /// <exception cref="IOException">It is a symbolic link, not a file, too long, or cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">Access was refused.</exception>
    public static byte[] ReadAll(string path, int maxBytes)
    {
        using SafeFileHandle file = OperatingSystem.IsWindows() ? OpenOnWindows(path) : Open(path);
        long length;
        try
        {
            length = RandomAccess.GetLength(file);
        }
        catch (NotSupportedException exception)
        {
            throw new IOException($"'{path}' is not a regular file.", exception);
        }

        if (length > maxBytes)
        {
            throw new IOException($"'{path}' has {length} bytes; at most {maxBytes} are read.");
        }

        byte[] bytes = new byte[length];
        for (int offset = 0; offset < bytes.Length;)
        {
            int read = RandomAccess.Read(file, bytes.AsSpan(offset), offset);
            offset += read > 0 ? read : throw new IOException($"'{path}' became shorter while it was read.");
        }

        return bytes;
    }

    [UnsupportedOSPlatform("windows")]
    private static SafeFileHandle Open(string path)
    {
        int descriptor = OpenCore(path, Flags);
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

    private static SafeFileHandle OpenOnWindows(string path) => new FileInfo(path).LinkTarget is null
        ? File.OpenHandle(path)
        : throw new IOException($"'{path}' is a symbolic link, which is not followed.");

    // O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW. The last has another value on ARM and POWER under Linux (asm/fcntl.h).
    private static int Flags => !OperatingSystem.IsLinux() ? 0x1000000 | 0x4 | 0x100
        : RuntimeInformation.ProcessArchitecture is Architecture.Arm or Architecture.Arm64 or Architecture.Armv6 or Architecture.Ppc64le ? 0x80000 | 0x800 | 0x8000
        : 0x80000 | 0x800 | 0x20000;
}
