using System.Text;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.Storage;

public sealed class DirectorySinkFaultTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Store_DiskFull_IsTransientLeavesNothingAndRecovers()
    {
        using SmallDisk disk = SmallDisk.Mount("size=256k");
        await using DirectorySink sink = await OpenAsync(disk.Path);
        (await StoreAsync(sink, "small", 1_000)).ShouldBe(SinkResult.Stored);

        // The disk has room for only a part of this object, so the write fails in the middle.
        for (int i = 0; i < 5; i++)
        {
            SinkResult result = await StoreAsync(sink, $"large/{i}", 300_000);
            result.Status.ShouldBe(SinkStatus.Transient);
            result.Detail.ShouldNotBeNullOrEmpty();
        }

        Files(disk.Path).ShouldBe(["small"]);
        (await StoreAsync(sink, "large/0", 200_000)).ShouldBe(SinkResult.Stored);
        File.ReadAllBytes(Path.Combine(disk.Path, "large/0")).Length.ShouldBe(200_000);
    }

    [Fact]
    public async Task Store_NoInodeLeft_IsTransient()
    {
        using SmallDisk disk = SmallDisk.Mount("size=1m,nr_inodes=8");
        await using DirectorySink sink = await OpenAsync(disk.Path);
        List<SinkStatus> results = [];
        for (int i = 0; i < 10; i++)
        {
            results.Add((await StoreAsync(sink, $"{i}", 10)).Status);
        }

        results.Distinct().ShouldBe([SinkStatus.Stored, SinkStatus.Transient]);
        Files(disk.Path).Length.ShouldBe(results.Count(status => status == SinkStatus.Stored));
    }

    [Fact]
    public async Task Store_DiskTurnsReadOnly_IsRefusedUntilItIsWritableAgain()
    {
        using SmallDisk disk = SmallDisk.Mount("size=256k");
        await using DirectorySink sink = await OpenAsync(disk.Path);
        disk.Remount("ro");

        (await StoreAsync(sink, "a", 10)).Status.ShouldBe(SinkStatus.Refused);

        disk.Remount("rw");
        (await StoreAsync(sink, "a", 10)).ShouldBe(SinkResult.Stored);
    }

    [Fact]
    public async Task Check_ReadOnlyDisk_SaysWhatToDo()
    {
        using SmallDisk disk = SmallDisk.Mount("size=256k");
        disk.Remount("ro");

        StartupException exception = await Should.ThrowAsync<StartupException>(() => OpenAsync(disk.Path));

        exception.Message.ShouldContain(disk.Path);
        exception.Message.ShouldContain("Sinks:Directory:Path");
        disk.Remount("rw");
    }

    [Fact]
    public async Task Check_DiskFull_StartsAnyway()
    {
        using SmallDisk disk = SmallDisk.Mount("size=64k");
        await File.WriteAllBytesAsync(Path.Combine(disk.Path, "other"), new byte[65_536], Token);

        await using DirectorySink sink = await OpenAsync(disk.Path);

        (await StoreAsync(sink, "a", 10)).Status.ShouldBe(SinkStatus.Transient);
    }

    [Fact]
    public async Task Check_PathIsAFile_SaysSo()
    {
        using TemporaryFolder folder = new();
        await File.WriteAllTextAsync(folder["file"], "x", Token);

        StartupException exception = await Should.ThrowAsync<StartupException>(() => OpenAsync(folder["file"]));

        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
        exception.Message.ShouldContain(folder["file"]);
    }

    [Fact]
    public void Unusable_NoPermission_NamesTheUser()
    {
        StartupException exception = DirectorySink.Unusable("/srv/objects", new UnauthorizedAccessException("Access to the path is denied."));

        exception.ExitCode.ShouldBe(ExitCodes.NoPermission);
        exception.Message.ShouldBe(
            $"The folder '/srv/objects' cannot store objects (Access to the path is denied). Give user {Environment.UserName} write permission, or set "
                + "Sinks:Directory:Path to another folder.");
    }

    [Fact]
    public async Task Check_FileSystemThatTakesNoFolders_NamesTheUserNotHardLinks()
    {
        Assert.SkipUnless(System.IO.Directory.Exists("/dev/pts"), "needs devpts");

        StartupException exception = await Should.ThrowAsync<StartupException>(() => OpenAsync("/dev/pts"));

        exception.ExitCode.ShouldBe(ExitCodes.NoPermission);
        exception.Message.ShouldContain($"Give user {Environment.UserName} write permission");
    }

    [Fact]
    public void Unusable_NoHardLinks_NamesTheCause()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows needs no hard links here.");

        DirectorySink.Unusable("/mnt/stick", new IOException("link failed", 1)).Message.ShouldContain("no hard links");
    }

    [Fact]
    public async Task Store_TemporaryFolderIsGone_SaysWhatToDo()
    {
        using TemporaryFolder folder = new();
        await using DirectorySink sink = await OpenAsync(folder.Path);
        System.IO.Directory.Delete(folder[".tmp"]);

        SinkResult result = await StoreAsync(sink, "a", 10);

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail.ShouldBe($"'{folder.Path}' is no longer a folder with '.tmp' in it. Mount its volume, or restart the worker, which creates the folder.");
    }

    [Theory]
    [InlineData("../outside")]
    [InlineData(".tmp/x")]
    [InlineData("a/../../outside")]
    public async Task Store_KeyThatLeavesTheFolder_IsRejectedAndWritesNothing(string key)
    {
        using TemporaryFolder folder = new();
        await using DirectorySink sink = await OpenAsync(folder["data"]);

        (await StoreAsync(sink, key, 10)).Status.ShouldBe(SinkStatus.Rejected);

        System.IO.Directory.EnumerateFiles(folder.Path, "*", SearchOption.AllDirectories).ShouldBeEmpty();
    }

    [Fact]
    public async Task Store_HalfAnObjectOfAnotherProgram_IsACollision()
    {
        using TemporaryFolder folder = new();
        await using DirectorySink sink = await OpenAsync(folder.Path);
        await File.WriteAllBytesAsync(folder["half"], new byte[5], Token);

        (await StoreAsync(sink, "half", 10)).Status.ShouldBe(SinkStatus.Collision);

        File.ReadAllBytes(folder["half"]).Length.ShouldBe(5);
    }

    private static async Task<DirectorySink> OpenAsync(string path)
    {
        DirectorySink sink = new(new DirectorySinkOptions { Path = path }, new SinkServices { Services = null! });
        await sink.CheckAsync(Token);
        return sink;
    }

    private static ValueTask<SinkResult> StoreAsync(DirectorySink sink, string key, int size) =>
        sink.StoreAsync(Encoding.UTF8.GetBytes(key), new byte[size], Token);

    private static string[] Files(string root) =>
        [.. System.IO.Directory
            .EnumerateFiles(root, "*", SearchOption.AllDirectories)
            .Select(file => Path.GetRelativePath(root, file))
            .Order(StringComparer.Ordinal)];
}
