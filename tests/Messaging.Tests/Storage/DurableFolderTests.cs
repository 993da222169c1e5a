using System.Runtime.Versioning;
using System.Text;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.Storage;

public sealed class DurableFolderTests : IDisposable
{
    private readonly TemporaryFolder _root = new();
    private readonly DurableFolder _folder;

    public DurableFolderTests()
    {
        _folder = new DurableFolder(_root.Path, fsync: true);
        _folder.Prepare();
    }

    public void Dispose() => _root.Dispose();

    [Fact]
    public void Prepare_MissingFolder_CreatesItAndLeavesNothingInIt()
    {
        DurableFolder folder = new(_root["a/b/c"], fsync: true);

        folder.Prepare();
        folder.Prepare();

        Directory.EnumerateFileSystemEntries(_root["a/b/c"], "*", SearchOption.AllDirectories).ShouldBe([_root["a/b/c/.tmp"]]);
    }

    [Theory]
    [InlineData("")]
    [InlineData("a/b")]
    public void Prepare_FolderThatAnotherProcessCreated_MakesItsNameDurable(string missing)
    {
        // The other process may have died before it was.
        SyncedFolders host = new();

        new DurableFolder(_root[missing], fsync: true, host: host).Prepare();

        host.Synced[0].ShouldBe(Path.GetDirectoryName(_root.Path));
    }

    [Fact]
    public void Prepare_FolderWhoseNameCannotBeMadeDurableNow_Fails()
    {
        const int Eio = 5;

        Should.Throw<IOException>(new DurableFolder(_root.Path, fsync: true, host: new SyncedFolders(Eio)).Prepare).HResult.ShouldBe(Eio);
    }

    [Fact]
    public void Prepare_FolderBelowOneThatMayNotBeRead_Succeeds()
    {
        const int Eacces = 13;

        Should.NotThrow(new DurableFolder(_root.Path, fsync: true, host: new SyncedFolders(Eacces)).Prepare);
    }

    [Fact]
    public void Place_FolderRemovedMeanwhile_CreatesItAgain()
    {
        _folder.Place("a/b/1", "x"u8).ShouldBe(PlaceResult.Placed);
        Directory.Delete(_root["a"], recursive: true);

        _folder.Place("a/b/2", "y"u8).ShouldBe(PlaceResult.Placed);

        File.ReadAllText(_root["a/b/2"]).ShouldBe("y");
    }

    [Fact]
    public void Place_TemporaryFolderGone_IsRefusedAndNothingIsCreated()
    {
        Directory.Delete(_root[".tmp"]);

        Exception exception = Should.Throw<DirectoryNotFoundException>(() => _folder.Place("a/1", "x"u8));

        FileFaults.Classify(exception).ShouldBe(FileFault.Refused);
        Directory.EnumerateFileSystemEntries(_root.Path).ShouldBeEmpty();
    }

    /// <summary>A volume that is unmounted in the middle: what would be created lies beneath it.</summary>
    [Theory]
    [InlineData("a/2")]
    [InlineData("b/1")]
    public void Place_RootGoneAfterTheWrite_IsRefusedAndNothingIsCreated(string path)
    {
        SyncedFolders host = new();
        DurableFolder folder = new(_root["root"], fsync: true, host: host);
        folder.Prepare();
        folder.Place("a/1", "x"u8);
        host.AfterFlush = () => Directory.Move(_root["root"], _root["away"]);

        Exception exception = Should.Throw<DirectoryNotFoundException>(() => folder.Place(path, "y"u8));

        FileFaults.Classify(exception).ShouldBe(FileFault.Refused);
        Directory.Exists(_root["root"]).ShouldBeFalse();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Place_RootReplacedByAFile_IsRefused(bool afterTheWrite)
    {
        SyncedFolders host = new();
        DurableFolder folder = new(_root["root"], fsync: true, host: host);
        folder.Prepare();
        folder.Place("a/1", "x"u8);
        host.AfterFlush = Replace;
        if (!afterTheWrite)
        {
            Replace();
        }

        Exception exception = Should.Throw<DirectoryNotFoundException>(() => folder.Place("a/2", "y"u8));

        FileFaults.Classify(exception).ShouldBe(FileFault.Refused);

        void Replace()
        {
            Directory.Move(_root["root"], _root["away"]);
            File.WriteAllText(_root["root"], "a file");
        }
    }

    [Fact]
    public void Prepare_TemporaryFolderGoneMeanwhile_IsRefusedAndNothingIsCreated()
    {
        Directory.Delete(_root[".tmp"]);

        Should.Throw<DirectoryNotFoundException>(_folder.Prepare);

        Directory.EnumerateFileSystemEntries(_root.Path).ShouldBeEmpty();
    }

    [Fact]
    public void Place_FolderAboveWasRemovedMeanwhile_CreatesItAgain()
    {
        _folder.Place("shop/eu/1", "x"u8);
        Directory.Delete(_root["shop"], recursive: true);

        _folder.Place("shop/us/2", "y"u8).ShouldBe(PlaceResult.Placed);

        File.ReadAllText(_root["shop/us/2"]).ShouldBe("y");
    }

    [Fact]
    public void Prepare_VolumeThatWasFullIsGone_NothingIsCreatedBeneathIt()
    {
        const int Enospc = 28;
        SyncedFolders host = new() { AfterFlush = () => throw PosixCalls.Failure("write", "probe", Enospc) };
        DurableFolder folder = new(_root["data"], fsync: true, host: host);
        Should.Throw<IOException>(folder.Prepare).HResult.ShouldBe(Enospc);
        Directory.Delete(_root["data"], recursive: true);

        Should.Throw<DirectoryNotFoundException>(folder.Prepare).Message.ShouldContain("is no longer a folder");

        Directory.Exists(_root["data"]).ShouldBeFalse();
    }

    [Theory]
    [InlineData("file/below")]
    [InlineData("folder")]
    public void Place_NameTakenByAnotherKind_IsRejected(string path)
    {
        _folder.Place("file", "x"u8);
        _folder.Place("folder/x", "x"u8);

        Exception exception = Should.Throw<IOException>(() => _folder.Place(path, "x"u8));

        FileFaults.Classify(exception).ShouldBe(FileFault.Rejected);
        Directory.EnumerateFiles(_root[".tmp"]).ShouldBeEmpty();
    }

    [Fact]
    public void Place_NameIsADanglingSymbolicLink_IsRejected()
    {
        File.CreateSymbolicLink(_root["link"], _root["nothing"]);
        Directory.CreateSymbolicLink(_root["folder"], _root["nowhere"]);
        File.CreateSymbolicLink(_root["loop"], _root["loop"]);

        foreach (string path in (ReadOnlySpan<string>)["link", "folder", "folder/x", "loop", "loop/x"])
        {
            Exception exception = Should.Throw<IOException>(() => _folder.Place(path, "x"u8), path);
            FileFaults.Classify(exception).ShouldBe(FileFault.Rejected, $"{path}: {exception.Message}");
        }

        Directory.EnumerateFiles(_root[".tmp"]).ShouldBeEmpty();
        File.Exists(_root["nothing"]).ShouldBeFalse();
    }

    [Theory]
    [InlineData(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead)]
    [InlineData(
        UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.OtherRead | UnixFileMode.OtherWrite)]
    [UnsupportedOSPlatform("windows")]
    public void Place_Permissions_AreTheConfiguredOnes(UnixFileMode mode)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has other permissions.");
        DurableFolder folder = new(_root.Path, fsync: true, mode);

        folder.Place("a", "x"u8);

        File.GetUnixFileMode(_root["a"]).ShouldBe(mode);
    }

    [Fact]
    public void Place_NameTakenWhileWriting_NeverOverwrites()
    {
        // The race that File.Move(overwrite: false) loses on Unix: both writers find the name free, then both rename their file.
        for (int round = 0; round < 200; round++)
        {
            string name = $"r/{round}";
            using Barrier start = new(2);
            PlaceResult[] results = new PlaceResult[2];
            Thread[] writers = [.. Enumerable.Range(0, 2).Select(i => new Thread(() =>
            {
                byte[] bytes = [(byte)i];
                start.SignalAndWait();
                results[i] = _folder.Place(name, bytes);
            }) { IsBackground = true })];
            Array.ForEach(writers, writer => writer.Start());
            Array.ForEach(writers, writer => writer.Join(TimeSpan.FromSeconds(30)).ShouldBeTrue());

            results.Order().ShouldBe([PlaceResult.Placed, PlaceResult.OtherBytes]);
            File.ReadAllBytes(_root[name]).ShouldBe([(byte)Array.IndexOf(results, PlaceResult.Placed)]);
        }
    }

    [Fact]
    public void DeleteAbandoned_OldUnfinishedFiles_AreDeletedAndOthersStay()
    {
        DateTimeOffset now = DateTimeOffset.UtcNow;
        foreach ((string name, double age) in (ReadOnlySpan<(string, double)>)[("w-old.tmp", 61), ("w-young.tmp", 59), ("other.tmp", 600), ("w-other", 600)])
        {
            File.WriteAllText(_root[$".tmp/{name}"], "x");
            File.SetLastWriteTimeUtc(_root[$".tmp/{name}"], now.UtcDateTime.AddMinutes(-age));
        }

        _folder.DeleteAbandoned(now).ShouldBe(1);

        Directory.EnumerateFiles(_root[".tmp"]).Select(Path.GetFileName).Order().ShouldBe(["other.tmp", "w-other", "w-young.tmp"]);
    }

    [Fact]
    public async Task Place_OnlyCopy_ItsUnfinishedFileNamesTheRoute()
    {
        DurableFolder folder = new(_root.Path, fsync: true, route: "orders-eu");
        TaskCompletionSource<string?> created = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using FileSystemWatcher watcher = new(_root[".tmp"]);
        watcher.Created += (_, file) => created.TrySetResult(file.Name);
        watcher.EnableRaisingEvents = true;

        folder.Place("a", "12345"u8, isOnlyCopy: true);

        string? name = await created.Task.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
        name.ShouldNotBeNull().ShouldMatch("^m-orders-eu-[0-9a-f]{32}-1-5\\.tmp$");
    }

    [Fact]
    public void FindUnfinished_FilesOfSeveralRoutes_ReturnsOwnAndUnnamedAndForgottenOnes()
    {
        DateTimeOffset now = new(2026, 1, 31, 12, 0, 0, TimeSpan.Zero);
        DurableFolder folder = new(_root.Path, fsync: true, route: "orders");
        foreach ((string name, double age) in (ReadOnlySpan<(string, double)>)[
                ("m-orders-aa-1-5.tmp", 0), ("m-aa-2-5.tmp", 0), ("m-orders-eu-aa-3-5.tmp", 59), ("m-clicks-aa-4-5.tmp", 61), ("w-aa-5-5.tmp", 61)])
        {
            File.WriteAllText(_root[$".tmp/{name}"], "whole");
            File.SetLastWriteTimeUtc(_root[$".tmp/{name}"], now.UtcDateTime.AddMinutes(-age));
        }

        folder.FindUnfinished(now).Select(Path.GetFileName).Order().ShouldBe(["m-aa-2-5.tmp", "m-clicks-aa-4-5.tmp", "m-orders-aa-1-5.tmp"]);
    }

    [Fact]
    public void Place_ManyFolders_ForgetsSomeAndContinues()
    {
        DurableFolder folder = new(_root.Path, fsync: true, rememberedFolders: 5);
        for (int i = 0; i < 20; i++)
        {
            folder.Place($"f/{i}/x", []).ShouldBe(PlaceResult.Placed);
        }

        folder.Place("f/0/x", []).ShouldBe(PlaceResult.SameBytes);
        folder.Place("f/0/x", [1]).ShouldBe(PlaceResult.OtherBytes);
    }

    [Theory]
    [InlineData("x", PlaceResult.SameBytes, 2)]
    [InlineData("other", PlaceResult.OtherBytes, 1)]
    public void Place_NameIsTaken_MakesWhatItReliesOnDurable(string bytes, object expected, int flushed)
    {
        // What has placed the file may not have come to the fsync of its folder yet, or may not flush its files.
        SyncedFolders disk = new();
        DurableFolder folder = new(_root.Path, fsync: true, host: disk);
        folder.Place("f/a", "x"u8);
        disk.Synced.Clear();
        int before = disk.Flushed;

        folder.Place("f/a", Encoding.UTF8.GetBytes(bytes)).ShouldBe((PlaceResult)expected);

        disk.Synced.ShouldBe([_root["f"]]);
        (disk.Flushed - before).ShouldBe(flushed);
    }

    [Fact]
    public void Place_AnotherThreadCreatesTheRemovedFolderAndFails_MakesItsNameDurable()
    {
        const int Eio = 5;
        SyncedFolders disk = new(Eio);
        DurableFolder folder = new(_root.Path, fsync: true, host: disk);
        Should.Throw<IOException>(() => folder.Place("f/a", "x"u8));
        folder.Place("f/a", "x"u8).ShouldBe(PlaceResult.Placed);
        disk.Synced.Clear();
        disk.BeforeName = _ =>
        {
            disk.BeforeName = _ => { };
            Directory.Delete(_root["f"], recursive: true);
            Should.Throw<IOException>(() => folder.Place("f/b", "x"u8));
        };

        folder.Place("f/c", "x"u8).ShouldBe(PlaceResult.Placed);

        disk.Synced.ShouldBe([_root.Path, _root.Path, _root["f"]]);
    }

    [Fact]
    public void Delete_FileThatIsNotThere_DoesNothing()
    {
        _folder.Place("a/1", "x"u8);

        _folder.Delete("a/1");
        _folder.Delete("a/1");
        _folder.Delete("b/1");

        File.Exists(_root["a/1"]).ShouldBeFalse();
    }
}
