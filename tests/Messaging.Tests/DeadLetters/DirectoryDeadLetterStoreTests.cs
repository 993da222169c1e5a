using System.Runtime.Versioning;
using System.Text;
using System.Text.Json;
using Messaging.Tests.Storage;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.DeadLetters;

public sealed class DirectoryDeadLetterStoreTests : IDisposable
{
    private static readonly DateTimeOffset Seen = new(2026, 11, 21, 23, 30, 0, TimeSpan.FromHours(-2));

    private readonly TemporaryFolder _folder = new();
    private readonly DirectoryDeadLetterStore _store;

    public DirectoryDeadLetterStoreTests() => _store = Open(_folder["letters"]);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Write_DeadLetter_StoresBodyAndRecord()
    {
        byte[] body = [.. Enumerable.Range(0, 256).Select(i => (byte)i)];
        DeadLetter letter = Letter() with
        {
            ExceptionType = "System.Text.Json.JsonException",
            Attributes = new Dictionary<string, string>(StringComparer.Ordinal) { ["Tenant"] = "ä \"x\"", ["Empty"] = "" },
        };

        string path = await _store.WriteAsync(letter, body, Token);

        // 23:30 two hours west of Greenwich is the next day there.
        string expected = $"{_folder["letters"]}/malformed-json/20261122/m-1~";
        path.ShouldStartWith(expected);
        path.ShouldEndWith(".body");
        (await File.ReadAllBytesAsync(path, Token)).ShouldBe(body);
        using JsonDocument record = JsonDocument.Parse(await File.ReadAllTextAsync(Path.ChangeExtension(path, ".json"), Token));
        record.RootElement.GetProperty("sourceId").GetString().ShouldBe("m-1");
        record.RootElement.GetProperty("reason").GetString().ShouldBe("malformed-json");
        record.RootElement.GetProperty("attempts").GetInt32().ShouldBe(3);
        record.RootElement.GetProperty("attributes").GetProperty("Tenant").GetString().ShouldBe("ä \"x\"");
        Directory.EnumerateFiles(_folder["letters/.tmp"]).ShouldBeEmpty();
    }

    [Theory]
    [InlineData("malformed-json", 3, false, "m-")]
    [InlineData("row-too-long", 3, true, "w-")]
    [InlineData(UnfinishedDeadLetters.Reason, 0, false, "w-")]
    public async Task Write_PartOrCopyOfAFile_IsNotRecoveredItself(string reason, int attempts, bool isPart, string prefix)
    {
        SyncedFolders host = new();
        using DirectoryDeadLetterStore store = new(new DeadLettersOptions { Path = _folder["copies"] }, TimeProvider.System, host: host);
        await store.CheckAsync(Token);
        host.Created.Clear();

        await store.WriteAsync(Letter() with { Reason = reason, Attempts = attempts, IsPart = isPart }, "part"u8.ToArray(), Token);

        host.Created[0].ShouldStartWith(prefix, Case.Sensitive, "A crash here leaves this file. Recovered, a part would count as a whole message.");
    }

    [Fact]
    public async Task Read_WhatWasWritten_IsTheSame()
    {
        DeadLetter letter =
            Letter() with { Group = "g-1", DeduplicationId = "d-1", Attributes = new Dictionary<string, string>(StringComparer.Ordinal) { ["a"] = "b" } };
        await _store.WriteAsync(letter, "{"u8.ToArray(), Token);

        StoredDeadLetter stored = Read(_store).ShouldHaveSingleItem();

        stored.Letter.Attributes.ShouldBe(letter.Attributes);
        (stored.Letter with { Attributes = letter.Attributes }).ShouldBe(letter);
        _store.Letters.ReadBody(stored).ShouldBe("{"u8.ToArray());
    }

    /// <summary>After a rollback.</summary>
    [Fact]
    public async Task Read_RecordOfALaterVersion_IgnoresThePropertiesThatItDoesNotKnow()
    {
        string path = Path.ChangeExtension(await _store.WriteAsync(Letter(), "{"u8.ToArray(), Token), ".json");
        string later = """{"later":{"list":[1,null]},""" + (await File.ReadAllTextAsync(path, Token))[1..];
        await File.WriteAllTextAsync(path, later, Token);

        Read(_store).ShouldHaveSingleItem().Letter.SourceId.ShouldBe(Letter().SourceId);
        DeadLetter.FromJson(later).ShouldNotBeNull().SourceId.ShouldBe(Letter().SourceId);
    }

    [Fact]
    public async Task Write_TheSameMessageAgain_KeepsTheFirst()
    {
        string first = await _store.WriteAsync(Letter(), "{"u8.ToArray(), Token);

        string second = await _store.WriteAsync(Letter() with { Attempts = 9, Description = "again" }, "{"u8.ToArray(), Token);

        second.ShouldBe(first);
        Read(_store).ShouldHaveSingleItem().Letter.Attempts.ShouldBe(3);
    }

    [Fact]
    public async Task Write_EarlierBodyWasEdited_KeepsBoth()
    {
        string first = await _store.WriteAsync(Letter(), "{"u8.ToArray(), Token);
        await File.WriteAllTextAsync(first, "{}", Token);

        string second = await _store.WriteAsync(Letter(), "{"u8.ToArray(), Token);
        string third = await _store.WriteAsync(Letter(), "{"u8.ToArray(), Token);

        second.ShouldBe(first.Replace(".body", "-2.body", StringComparison.Ordinal));
        third.ShouldBe(second);
        _store.Problem.ShouldBeNull();
        Read(_store).Select(letter => Encoding.UTF8.GetString(_store.Letters.ReadBody(letter)!)).ShouldBe(["{}", "{"], ignoreOrder: true);
        IDeadLetterReader reader = _store;
        reader.EnumerateNames().Select(name => reader.ReadRecord(name)?.SourceId).ShouldBe(["m-1", "m-1"]);
        foreach (StoredDeadLetter letter in Read(_store).ToArray())
        {
            _store.Letters.Delete(letter, _store.Letters.ReadBody(letter)).ShouldBeTrue();
        }

        Directory.EnumerateFiles(_folder["letters"], "*", SearchOption.AllDirectories).ShouldBeEmpty();
    }

    [Fact]
    public async Task Write_DifferentMessagesThatLookAlike_KeepsEach()
    {
        DeadLetter[] letters =
        [
            Letter(),
            Letter() with { Source = "channel" },
            Letter() with { Route = "other" },
            Letter() with { SourceId = "m.1" },
            Letter() with { SourceId = "m/1" },
            Letter() with { SourceId = "M-1" },
            Letter() with { SourceId = new string('x', 5_000) },
            Letter() with { SourceId = new string('x', 5_001) },
        ];

        HashSet<string> paths = new(StringComparer.OrdinalIgnoreCase);
        foreach (DeadLetter letter in letters)
        {
            paths.Add(await _store.WriteAsync(letter, "{"u8.ToArray(), Token)).ShouldBeTrue();
        }

        paths.Add(await _store.WriteAsync(Letter(), "{ "u8.ToArray(), Token)).ShouldBeTrue();
        Read(_store).Count().ShouldBe(letters.Length + 1);
    }

    [Theory]
    [InlineData("../../etc/passwd", "..")]
    [InlineData("", "")]
    [InlineData(".", ".tmp")]
    [InlineData("a\0b\n\u202e", "a/b\\c")]
    public async Task Write_HostileIdAndReason_StaysInTheFolder(string id, string reason)
    {
        string path = await _store.WriteAsync(Letter() with { SourceId = id, Reason = reason }, "x"u8.ToArray(), Token);

        Path.GetFullPath(path).ShouldBe(path);
        Path.GetRelativePath(_folder["letters"], path).ShouldMatch("^[A-Za-z0-9_-]+/20261122/[A-Za-z0-9_-]+~[0-9a-f]{32}\\.body$");
        Directory.EnumerateFileSystemEntries(_folder.Path).ShouldBe([_folder["letters"]]);
        Read(_store, reason).ShouldHaveSingleItem().Letter.SourceId.ShouldBe(id);
    }

    [Fact]
    public async Task Write_ManyConcurrently_KeepsEachOnce()
    {
        Task<string>[] writes = [.. Enumerable.Range(0, 200).Select(i => Task.Run(async () =>
            await _store.WriteAsync(Letter() with { SourceId = $"m-{i % 50}" }, Encoding.UTF8.GetBytes($"{i % 50}"), Token)))];
        string[] paths = await Task.WhenAll(writes);

        paths.Distinct(StringComparer.Ordinal).Count().ShouldBe(50);
        Read(_store).Count().ShouldBe(50);
        Read(_store).ShouldAllBe(letter => letter.Letter.SourceId == "m-" + Encoding.UTF8.GetString(_store.Letters.ReadBody(letter)!));
    }

    [Fact]
    public async Task Read_ByReasonAndDay_OldestFirst()
    {
        await _store.WriteAsync(Letter() with { LastSeen = Seen.AddDays(2) }, "c"u8.ToArray(), Token);
        await _store.WriteAsync(Letter() with { LastSeen = Seen }, "a"u8.ToArray(), Token);
        await _store.WriteAsync(Letter() with { LastSeen = Seen.AddDays(1) }, "b"u8.ToArray(), Token);
        await _store.WriteAsync(Letter() with { Reason = "too-large" }, "z"u8.ToArray(), Token);

        Read(_store, "malformed-json").Select(letter => Encoding.UTF8.GetString(_store.Letters.ReadBody(letter)!)).ShouldBe(["a", "b", "c"]);
        Read(_store, "too-large").ShouldHaveSingleItem();
        Read(_store, "unknown-reason").ShouldBeEmpty();
        Read(_store).Count().ShouldBe(4);
    }

    [Fact]
    public async Task Delete_WhileReading_DeletesEachAndNothingElse()
    {
        for (int i = 0; i < 30; i++)
        {
            await _store.WriteAsync(Letter() with { SourceId = $"m-{i}" }, "x"u8.ToArray(), Token);
        }

        int deleted = 0;
        foreach (StoredDeadLetter letter in Read(_store))
        {
            _store.Letters.Delete(letter, "x"u8).ShouldBeTrue();
            _store.Letters.Delete(letter, "x"u8).ShouldBeTrue();
            deleted++;
        }

        deleted.ShouldBe(30);
        Directory.EnumerateFiles(_folder.Path, "*", SearchOption.AllDirectories).ShouldBeEmpty();
        await _store.WriteAsync(Letter(), "x"u8.ToArray(), Token);
        Read(_store).ShouldHaveSingleItem();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Delete_WhileTheSameMessageBecomesADeadLetterAgain_ItKeepsItsBody(bool isDeletedFirst)
    {
        SyncedFolders disk = new();
        using DirectoryDeadLetterStore store = new(new DeadLettersOptions { Path = _folder["letters"] }, TimeProvider.System, host: disk);
        string body = await store.WriteAsync(Letter(), "x"u8.ToArray(), Token);
        StoredDeadLetter letter = Read(store).Single();
        if (isDeletedFirst)
        {
            // The second write has found the body, and writes its record.
            disk.BeforeName = path =>
            {
                if (path.EndsWith(".json", StringComparison.Ordinal))
                {
                    disk.BeforeName = _ => { };
                    store.Letters.Delete(letter, "x"u8).ShouldBeTrue();
                }
            };
            await store.WriteAsync(Letter(), "x"u8.ToArray(), Token);
        }
        else
        {
            // The second write finds the body, and writes its record, after the first one's record is deleted.
            disk.BeforeDelete = path =>
            {
                if (path == body)
                {
                    disk.BeforeDelete = _ => { };
                    File.WriteAllText(Path.ChangeExtension(body, ".json"), "{}");
                }
            };
            store.Letters.Delete(letter, "x"u8).ShouldBeTrue();
        }

        (await File.ReadAllTextAsync(body, Token)).ShouldBe("x");
        File.Exists(Path.ChangeExtension(body, ".json")).ShouldBeTrue();
    }

    [Fact]
    public async Task Read_BodyWithoutRecord_IsNoDeadLetterUntilTheMessageIsRedelivered()
    {
        string path = await _store.WriteAsync(Letter(), "x"u8.ToArray(), Token);
        File.Delete(Path.ChangeExtension(path, ".json"));
        Read(_store).ShouldBeEmpty();

        (await _store.WriteAsync(Letter(), "x"u8.ToArray(), Token)).ShouldBe(path);

        Read(_store).ShouldHaveSingleItem();
    }

    [Theory]
    [InlineData("")]
    [InlineData("null")]
    [InlineData("{\"sourceId\":\"x\"")]
    [InlineData("{}")]
    public async Task Find_DamagedRecord_ThrowsAndTheOthersAreFound(string record)
    {
        string path = await _store.WriteAsync(Letter(), "x"u8.ToArray(), Token);
        await _store.WriteAsync(Letter() with { SourceId = "m-2" }, "x"u8.ToArray(), Token);
        await File.WriteAllTextAsync(Path.ChangeExtension(path, ".json"), record, Token);

        IReadOnlyList<string> names = _store.Letters.List();

        Should.Throw<IOException>(() => _store.Letters.Find(names[0])).Message.ShouldContain(Path.ChangeExtension(path, ".json"));
        _store.Letters.Find(names[1]).ShouldNotBeNull().Letter.SourceId.ShouldBe("m-2");
    }

    [Fact]
    public async Task Find_DeletedSinceItWasListed_IsNull()
    {
        await _store.WriteAsync(Letter(), "x"u8.ToArray(), Token);
        string name = _store.Letters.List().ShouldHaveSingleItem();
        StoredDeadLetter letter = _store.Letters.Find(name).ShouldNotBeNull();

        _store.Letters.Delete(letter, "x"u8).ShouldBeTrue();

        _store.Letters.Find(name).ShouldBeNull();
        _store.Letters.ReadBody(letter).ShouldBeNull();
    }

    [Fact]
    public async Task ReadBody_Missing_Throws()
    {
        File.Delete(await _store.WriteAsync(Letter(), "x"u8.ToArray(), Token));

        Should.Throw<FileNotFoundException>(() => _store.Letters.ReadBody(Read(_store).Single()));
    }

    [Fact]
    public void Read_NothingWrittenYet_IsEmpty() => Read(_store).ShouldBeEmpty();

    [Fact]
    public async Task Write_DiskFull_ThrowsAndLeavesNoDeadLetter()
    {
        using SmallDisk disk = SmallDisk.Mount("size=64k");
        DirectoryDeadLetterStore store = Open(disk.Path);

        await Should.ThrowAsync<IOException>(async () => await store.WriteAsync(Letter(), new byte[100_000], Token));

        Read(store).ShouldBeEmpty();
        Directory.EnumerateFiles(disk.Path, "*", SearchOption.AllDirectories).ShouldBeEmpty();
        await store.WriteAsync(Letter(), new byte[10_000], Token);
        Read(store).ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Write_FolderCannotBeCreated_ThrowsIOException()
    {
        await File.WriteAllTextAsync(_folder["file"], "x", Token);
        DirectoryDeadLetterStore store = Open(_folder["file"]);

        await Should.ThrowAsync<IOException>(async () => await store.WriteAsync(Letter(), "x"u8.ToArray(), Token));
    }

    [Fact]
    public async Task Check_FolderCannotBeCreated_SaysWhatToDo()
    {
        await File.WriteAllTextAsync(_folder["file"], "x", Token);
        using DirectoryDeadLetterStore store = Open(_folder["file"]);

        StartupException exception = await Should.ThrowAsync<StartupException>(() => store.CheckAsync(Token));

        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
        exception.Message.ShouldContain(_folder["file"]);
        exception.Message.ShouldContain("DeadLetters:Path");
    }

    [Fact]
    public async Task Problem_WriteFails_StaysUntilTheFolderCanBeWrittenAgain()
    {
        ManualTimeProvider time = new();
        using DirectoryDeadLetterStore store = new(new DeadLettersOptions { Path = _folder["letters"] }, time);
        await store.CheckAsync(Token);
        store.Problem.ShouldBeNull();
        Directory.Move(_folder["letters"], _folder["elsewhere"]);
        await File.WriteAllTextAsync(_folder["letters"], "in the way", Token);
        await Should.ThrowAsync<IOException>(async () => await store.WriteAsync(Letter(), "x"u8.ToArray(), Token));
        store.Problem.ShouldNotBeNull().ShouldContain("DeadLetters:Path");

        File.Delete(_folder["letters"]);
        Directory.Move(_folder["elsewhere"], _folder["letters"]);
        for (int attempt = 0; store.Problem is not null; attempt++)
        {
            attempt.ShouldBeLessThan(3_000);
            time.Advance(TimeSpan.FromSeconds(5));
            await Task.Delay(10, Token);
        }

        await store.WriteAsync(Letter(), "x"u8.ToArray(), Token);
        Read(store).ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Problem_VolumeIsUnmounted_TheProbeCreatesNothingBelowTheMountPoint()
    {
        ManualTimeProvider time = new();
        using DirectoryDeadLetterStore store = new(new DeadLettersOptions { Path = _folder["letters"] }, time);
        await store.CheckAsync(Token);
        Directory.Move(_folder["letters/.tmp"], _folder["unmounted"]);
        await Should.ThrowAsync<IOException>(async () => await store.WriteAsync(Letter(), "x"u8.ToArray(), Token));

        // A probe that fails arms the timer of the next one.
        time.Advance(TimeSpan.FromSeconds(5));
        await time.WaitForTimersAsync(1);

        Directory.EnumerateFileSystemEntries(_folder["letters"]).ShouldBeEmpty();
        store.Problem.ShouldNotBeNull().ShouldContain("Mount its volume");
        Directory.Move(_folder["unmounted"], _folder["letters/.tmp"]);
        await store.WriteAsync(Letter(), "x"u8.ToArray(), Token);
        store.Problem.ShouldBeNull();
    }

    [Fact]
    [UnsupportedOSPlatform("windows")]
    public async Task Write_Permissions_AreNotForOthers()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has other permissions.");

        string path = await _store.WriteAsync(Letter(), "x"u8.ToArray(), Token);

        foreach (string file in (ReadOnlySpan<string>)[path, Path.ChangeExtension(path, ".json")])
        {
            File.GetUnixFileMode(file).ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead);
        }
    }

    [Fact]
    public async Task Write_Cancelled_Throws() =>
        await Should.ThrowAsync<OperationCanceledException>(
            async () => await _store.WriteAsync(Letter(), "x"u8.ToArray(), new CancellationToken(canceled: true)));

    private static IEnumerable<StoredDeadLetter> Read(DirectoryDeadLetterStore store, string? reason = null) =>
        store.Letters.List().Select(store.Letters.Find).OfType<StoredDeadLetter>().Where(letter => reason is null || letter.Letter.Reason == reason);

    private static DirectoryDeadLetterStore Open(string path) =>
        new(new DeadLettersOptions { Path = path }, TimeProvider.System);

    private static DeadLetter Letter() => new()
    {
        SourceId = "m-1",
        Source = "http",
        Route = "archive",
        Reason = "malformed-json",
        Description = "Expected a value at byte 1",
        Attempts = 3,
        FirstSeen = Seen.AddHours(-1),
        LastSeen = Seen,
    };
}
