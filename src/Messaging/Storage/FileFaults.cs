namespace Quayside.Messaging.Storage;

/// <summary>Classifies the exceptions of file calls. .NET keeps the errno of Unix as the HResult of an IOException.</summary>
internal static class FileFaults
{
    // errno values; the same on Linux and Darwin, unless the name says otherwise.
    private const int Exdev = 18;
    private const int Enotdir = 20;
    private const int Eisdir = 21;
    private const int Einval = 22;
    private const int Efbig = 27;
    private const int Erofs = 30;
    private const int NameTooLongLinux = 36;
    private const int NameTooLongDarwin = 63;
    private const int LinkLoopLinux = 40;
    private const int LinkLoopDarwin = 62;
    private const int IllegalSequenceLinux = 84;
    private const int IllegalSequenceDarwin = 92;

    /// <summary>True for an exception of the file system; any other is a defect and is not caught.</summary>
    /// <remarks>EFBIG (a process limit on file sizes) surfaces from .NET as an ArgumentOutOfRangeException.</remarks>
    public static bool IsFileFault(Exception exception) =>
        exception is IOException or UnauthorizedAccessException or ArgumentOutOfRangeException { ParamName: "value" };

    /// <summary>Classifies an exception for which <see cref="IsFileFault"/> is true.</summary>
    public static FileFault Classify(Exception exception) => exception switch
    {
        UnauthorizedAccessException => FileFault.Refused,
        ArgumentOutOfRangeException or PathTooLongException => FileFault.Rejected,
        DirectoryNotFoundException or FileNotFoundException => FileFault.Refused,
        IOException when OperatingSystem.IsWindows() => FileFault.Transient,
        _ => exception.HResult switch
        {
            PosixCalls.Eperm or PosixCalls.Eacces or Erofs or Exdev => FileFault.Refused,
            PosixCalls.Eexist or Enotdir or Eisdir or Einval or Efbig => FileFault.Rejected,
            NameTooLongLinux when OperatingSystem.IsLinux() => FileFault.Rejected,
            NameTooLongDarwin when OperatingSystem.IsMacOS() => FileFault.Rejected,
            LinkLoopLinux when OperatingSystem.IsLinux() => FileFault.Rejected,
            LinkLoopDarwin when OperatingSystem.IsMacOS() => FileFault.Rejected,
            IllegalSequenceLinux when OperatingSystem.IsLinux() => FileFault.Rejected,
            IllegalSequenceDarwin when OperatingSystem.IsMacOS() => FileFault.Rejected,
            _ => FileFault.Transient,
        },
    };
}

/// <summary>The kind of fault that an exception of the file system reports.</summary>
internal enum FileFault
{
    /// <summary>May work later: disk or quota full, too many open files, an I/O error.</summary>
    Transient = 0,

    /// <summary>The worker itself is refused until an operator acts: no permission, read-only, the folder is gone.</summary>
    Refused,

    /// <summary>This name or size can never work here.</summary>
    Rejected,
}
