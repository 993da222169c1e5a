using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.DeadLetters;

public sealed class DeadLetterCountTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    // The times of folders are the machine's, so the clock begins with it.
    private readonly ManualTimeProvider _time = new(TimeProvider.System.GetUtcNow());

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Count_FollowsWhatAnotherProcessWritesAndDeletes()
    {
        using DirectoryDeadLetterStore store = Store();
        (await CountAsync(store)).Count.ShouldBe(0);

        DateTimeOffset now = _time.GetUtcNow();
        using DirectoryDeadLetterStore other = Store();
        await WriteAsync(other, "old", "malformed-json", now.AddDays(-3));
        await WriteAsync(other, "new", "malformed-json", now.AddMinutes(-1));
        await WriteAsync(other, "third", "wrong-type", now.AddHours(-2));

        WaitingDeadLetters waiting = await CountAsync(store);
        waiting.Count.ShouldBe(3);
        waiting.IsMore.ShouldBeFalse();
        waiting.OldestAt.ShouldBe(now.AddDays(-3));
        waiting.NewestAt.ShouldBe(now.AddMinutes(-1));
        waiting.ByReason.ShouldBe(new Dictionary<string, long> { ["malformed-json"] = 2, ["wrong-type"] = 1 }, ignoreOrder: true);

        // A folder whose listing is kept: nothing in it changes for longer than the resolution of its time.
        _time.Advance(TimeSpan.FromMinutes(1));
        await CountAsync(store);
        string old = other.Letters.List().Single(name => name.Contains("old", StringComparison.Ordinal));
        other.Letters.Delete(other.Letters.Find(old)!, other.Letters.ReadBody(other.Letters.Find(old)!)).ShouldBeTrue();
        waiting = await CountAsync(store);
        waiting.Count.ShouldBe(2);
        waiting.OldestAt.ShouldBe(now.AddHours(-2));

        foreach (string name in other.Letters.List())
        {
            other.Letters.Delete(other.Letters.Find(name)!, other.Letters.ReadBody(other.Letters.Find(name)!)).ShouldBeTrue();
        }

        waiting = await CountAsync(store);
        waiting.Count.ShouldBe(0);
        waiting.OldestAt.ShouldBeNull();
        waiting.ByReason.ShouldBeEmpty();
    }

    [Fact]
    public async Task Count_OfBodiesWithoutRecordAndUnfinishedFiles_IsNone()
    {
        using DirectoryDeadLetterStore store = Store();
        Directory.CreateDirectory(_folder["letters/reason/20260101"]);
        await File.WriteAllTextAsync(_folder["letters/reason/20260101/a.body"], "x");
        Directory.CreateDirectory(_folder["letters/.tmp/20260101"]);
        await File.WriteAllTextAsync(_folder["letters/.tmp/20260101/a.json"], "{}");

        (await CountAsync(store)).Count.ShouldBe(0);
    }

    [Fact]
    public async Task Count_OfADamagedRecord_HasTheTimeOfItsFile()
    {
        using DirectoryDeadLetterStore store = Store();
        Directory.CreateDirectory(_folder["letters/reason/20260101"]);
        string record = _folder["letters/reason/20260101/a.json"];
        await File.WriteAllTextAsync(record, "not json");
        DateTime written = new(2026, 1, 1, 12, 0, 0, DateTimeKind.Utc);
        File.SetLastWriteTimeUtc(record, written);

        WaitingDeadLetters waiting = await CountAsync(store);

        waiting.Count.ShouldBe(1);
        waiting.OldestAt.ShouldBe(new DateTimeOffset(written));
    }

    [Fact]
    public void Count_AboveItsLimit_SaysThatThereAreMore()
    {
        const int Limit = 100;
        string today = Directory.CreateDirectory(_folder["letters/flood/20260103"]).FullName;
        for (int i = 0; i < Limit; i++)
        {
            File.Create(Path.Combine(today, $"{i}.json")).Dispose();
        }

        string first = Path.Combine(Directory.CreateDirectory(_folder["letters/other/20260101"]).FullName, "first.json");
        File.Create(first).Dispose();
        DeadLetterCount.Limit.ShouldBe(100_000);
        DeadLetterCount count = new(_folder["letters"], _time, Limit);

        WaitingDeadLetters waiting = count.Count(_ => null);

        waiting.Count.ShouldBe(Limit);
        waiting.IsMore.ShouldBeTrue();
        waiting.OldestAt.ShouldBe(new DateTimeOffset(File.GetLastWriteTimeUtc(first)));
        waiting.ByReason["other"].ShouldBe(1);

        File.Delete(first);
        waiting = count.Count(_ => null);
        waiting.Count.ShouldBe(Limit);
        waiting.IsMore.ShouldBeFalse();
    }

    // FAT has times of two seconds: a folder that changes just after it was listed keeps its time.
    [Fact]
    public void Count_ChangeWithinTheResolutionOfTheFoldersTime_IsSeen()
    {
        string day = Directory.CreateDirectory(_folder["letters/reason/20260101"]).FullName;
        DateTime changed = _time.GetUtcNow().UtcDateTime.AddSeconds(-2);
        DeadLetterCount count = new(_folder["letters"], _time);
        for (int records = 1; records <= 2; records++)
        {
            File.Create(Path.Combine(day, $"{records}.json")).Dispose();
            Directory.SetLastWriteTimeUtc(day, changed);

            count.Count(_ => null).Count.ShouldBe(records);
        }
    }

    [Fact]
    public async Task Count_FolderIsRemovedOrUnmounted_IsAnErrorAndNotNone()
    {
        using DirectoryDeadLetterStore store = new(new DeadLettersOptions { Path = _folder["letters"] }, _time);
        await store.CheckAsync(TestContext.Current.CancellationToken);
        (await store.CountWaitingAsync(TestContext.Current.CancellationToken)).ShouldNotBeNull().Count.ShouldBe(0);

        Directory.Delete(_folder["letters"], recursive: true);
        Directory.CreateDirectory(_folder["letters"]);

        (await Should.ThrowAsync<DirectoryNotFoundException>(
            async () => await store.CountWaitingAsync(TestContext.Current.CancellationToken))).Message.ShouldContain("is no longer a folder");
    }

    [Fact]
    public async Task Watch_StoreThatFails_IsUnknownAndLoggedOnce()
    {
        RecordingLog log = new();
        FailingStore store = new();
        await using DeadLetterWatch watch = new(store, _time, log.CreateLogger(string.Empty));

        await watch.StartAsync(CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(60));
        watch.Waiting.ShouldBeNull();
        log.Entries.ShouldHaveSingleItem().Text.ShouldContain("cannot be counted (no permission)");

        store.Result = new WaitingDeadLetters { Count = 7, OldestAt = _time.GetUtcNow() };
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        while (watch.Waiting is not { Count: 7 })
        {
            _time.Advance(DeadLetterWatch.Interval);
            await Task.Delay(1, limit.Token);
        }

        log.Entries.Count.ShouldBe(1);
    }

    [Theory]
    [InlineData(0, 5)]
    [InlineData(0.1, 5)]
    [InlineData(0.2, 10)]
    [InlineData(0.6, 30)]
    [InlineData(1.5, 30)]
    [InlineData(600, 30)]
    public void Watch_SlowStore_IsAskedLessOftenButWithinHalfAMinute(double taken, double pause) =>
        DeadLetterWatch.PauseAfter(TimeSpan.FromSeconds(taken)).ShouldBe(TimeSpan.FromSeconds(pause));

    private static async Task<WaitingDeadLetters> CountAsync(DirectoryDeadLetterStore store) =>
        (await store.CountWaitingAsync(CancellationToken.None).AsTask().WaitAsync(TimeSpan.FromSeconds(60))).ShouldNotBeNull();

    private DirectoryDeadLetterStore Store() => new(new DeadLettersOptions { Path = _folder["letters"] }, _time);

    private static async Task WriteAsync(DirectoryDeadLetterStore store, string id, string reason, DateTimeOffset at) => await store.WriteAsync(
        new DeadLetter { SourceId = id, Source = "http", Route = "r", Reason = reason, Description = "d", Attempts = 1, FirstSeen = at, LastSeen = at },
        "body"u8.ToArray(), CancellationToken.None);

    private sealed class FailingStore : IDeadLetterStore
    {
        public WaitingDeadLetters? Result { get; set; }

        public ValueTask<WaitingDeadLetters?> CountWaitingAsync(CancellationToken cancellationToken) =>
            Result is { } result ? new(result) : throw new IOException("no permission");

        public ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
            throw new NotSupportedException();
    }
}
