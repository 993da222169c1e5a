using System.Diagnostics;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.Storage;

public sealed class RegularFileTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(100_000)]
    public void ReadAll_File_IsItsBytes(int length)
    {
        byte[] bytes = [.. Enumerable.Range(0, length).Select(i => (byte)i)];
        File.WriteAllBytes(_folder["file"], bytes);

        RegularFile.ReadAll(_folder["file"], maxBytes: 100_000).ShouldBe(bytes);
    }

    [Fact]
    public void ReadAll_TooLong_IsRefused()
    {
        File.WriteAllBytes(_folder["file"], new byte[11]);

        Should.Throw<IOException>(() => RegularFile.ReadAll(_folder["file"], maxBytes: 10)).Message.ShouldContain("11 bytes; at most 10");
    }

    [Fact]
    public void ReadAll_Missing_IsFileNotFound() =>
        Should.Throw<FileNotFoundException>(() => RegularFile.ReadAll(_folder["nosuch"], maxBytes: 10));

    [Fact]
    public void ReadAll_Folder_IsRefused() =>
        FileFaults.IsFileFault(Should.Throw<Exception>(() => RegularFile.ReadAll(_folder.Path, maxBytes: 1_000_000))).ShouldBeTrue();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ReadAll_SymbolicLink_IsNotFollowed(bool dangling)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links need a privilege there.");
        File.WriteAllText(_folder["file"], "x");
        File.CreateSymbolicLink(_folder["link"], dangling ? _folder["nosuch"] : _folder["file"]);

        Should.Throw<IOException>(() => RegularFile.ReadAll(_folder["link"], maxBytes: 10)).Message.ShouldContain("symbolic link");
    }

    [Fact]
    public async Task ReadAll_NamedPipe_IsRefusedImmediately()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "mkfifo is looked for on Linux.");
        using (Process make = Process.Start("mkfifo", [_folder["pipe"]]))
        {
            await make.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        Exception refused =
            await Should.ThrowAsync<IOException>(Task.Run(() => RegularFile.ReadAll(_folder["pipe"], maxBytes: 10)).WaitAsync(TimeSpan.FromSeconds(30)));

        refused.Message.ShouldContain("not a regular file");
    }
}
