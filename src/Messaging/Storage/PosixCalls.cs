using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Quayside.Messaging.Storage;

/// <summary>
/// The operations that .NET 10 has no call for on Unix: giving a file a name only if it is free, creating a folder but none above it, and
/// fsync of a folder.
/// </summary>
internal static class PosixCalls
{
    public const int Eperm = 1;
    public const int Enoent = 2;
    public const int Eacces = 13;
    public const int Eexist = 17;

    /// <summary>O_RDONLY of open(2).</summary>
    public const int ReadOnly = 0;

    // The umask takes away from them.
    private const int AllPermissions = 0x1FF;

    // O_CLOEXEC differs between kernels; on each, it is the same on every architecture that .NET runs on.
    private const int CloseOnExecLinux = 0x80000;
    private const int CloseOnExecDarwin = 0x1000000;

    // link(2): "If newpath exists, it will not be overwritten" (EEXIST). File.Move(overwrite: false) is no replacement on Unix:
    // it checks for the target and then calls rename(2), which overwrites what another writer placed there in between.
    [DllImport("libc", EntryPoint = "link", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int LinkCore([MarshalAs(UnmanagedType.LPUTF8Str)] string existing, [MarshalAs(UnmanagedType.LPUTF8Str)] string added);

    [DllImport("libc", EntryPoint = "mkdir", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int MakeFolderCore([MarshalAs(UnmanagedType.LPUTF8Str)] string path, int mode);

    /// <summary>A descriptor, or -1 with the errno in <see cref="Marshal.GetLastPInvokeError"/>.</summary>
    [DllImport("libc", EntryPoint = "open", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int Open([MarshalAs(UnmanagedType.LPUTF8Str)] string path, int flags);

    [DllImport("libc", EntryPoint = "fsync", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int FsyncCore(int descriptor);

    [DllImport("libc", EntryPoint = "close")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int CloseCore(int descriptor);

    /// <summary>Gives a file a second name, atomically and only if that name is free.</summary>
    /// <returns>0, or the errno.</returns>
    [UnsupportedOSPlatform("windows")]
    public static int Link(string existing, string added) =>
        LinkCore(existing, added) == 0 ? 0 : Marshal.GetLastPInvokeError();

    /// <summary>Creates a folder below one that exists.</summary>
    /// <returns>0, or the errno.</returns>
    [UnsupportedOSPlatform("windows")]
    public static int MakeFolder(string path) =>
        MakeFolderCore(path, AllPermissions) == 0 ? 0 : Marshal.GetLastPInvokeError();

    /// <summary>Makes the names in a folder durable.</summary>
    /// <exception cref="IOException">The folder could not be opened or flushed; the errno is the HResult.</exception>
    [UnsupportedOSPlatform("windows")]
    public static void SyncFolder(string path)
    {
        int descriptor = Open(path, ReadOnly | (OperatingSystem.IsLinux() ? CloseOnExecLinux : CloseOnExecDarwin));
        if (descriptor < 0)
        {
            throw Failure("open", path, Marshal.GetLastPInvokeError());
        }

        int error = FsyncCore(descriptor) == 0 ? 0 : Marshal.GetLastPInvokeError();
        _ = CloseCore(descriptor);
        if (error != 0)
        {
            throw Failure("fsync", path, error);
        }
    }

    /// <summary>The exception for an errno.</summary>
    public static IOException Failure(string call, string path, int errno) =>
        new($"{call} of '{path}' failed: {new Win32Exception(errno).Message}", errno);
}
