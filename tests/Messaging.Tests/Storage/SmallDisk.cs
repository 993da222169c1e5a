using System.Diagnostics;

namespace Messaging.Tests.Storage;

/// <summary>A file system of its own with little room (tmpfs). Needs Linux and the right to mount; tests skip without.</summary>
internal sealed class SmallDisk : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private SmallDisk()
    {
    }

    public string Path => _folder.Path;

    public static SmallDisk Mount(string options)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "Mounting a tmpfs needs Linux and root.");
        SmallDisk disk = new();
        if (Run("mount", "-t", "tmpfs", "-o", options, "tmpfs", disk.Path) != 0)
        {
            disk._folder.Dispose();
            Assert.Skip("This environment does not allow mounting a tmpfs.");
        }

        return disk;
    }

    public void Remount(string options) => Run("mount", "-o", $"remount,{options}", Path).ShouldBe(0);

    public void Dispose()
    {
        Run("umount", Path).ShouldBe(0);
        _folder.Dispose();
    }

    private static int Run(string program, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true, UseShellExecute = false })!;
        process.WaitForExit();
        return process.ExitCode;
    }
}
