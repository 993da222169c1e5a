using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Tests.Shared.Files;

/// <summary>
/// A FIFO under a file's name: opening it for reading hangs until it is released, as file calls do on a disk or a network share
/// that does not answer.
/// </summary>
internal sealed class HangingFile : IDisposable
{
    private const int OwnerReadWrite = 0x180; // 0600

    private readonly string _path;
    private SafeFileHandle? _writer;

    public HangingFile(string path)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Needs FIFOs.");
        _path = path;
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        if (MakeFifo(path, OwnerReadWrite) != 0)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError(), $"mkfifo({path})");
        }
    }

    /// <summary>Releases the hanging calls: opening for reading and writing never hangs on Linux.</summary>
    public void Release() => _writer ??= File.OpenHandle(_path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);

    public void Dispose()
    {
        Release();
        _writer?.Dispose();
    }

    [DllImport("libc", EntryPoint = "mkfifo", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int MakeFifo([MarshalAs(UnmanagedType.LPUTF8Str)] string path, uint mode);
}
