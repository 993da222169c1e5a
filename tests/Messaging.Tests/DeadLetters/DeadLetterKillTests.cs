using System.Text;
using Messaging.Tests.Storage;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.DeadLetters;

/// <summary>What a kill between the two files of a dead letter leaves is found, listed, counted, and can be removed.</summary>
public sealed class DeadLetterKillTests : IDisposable
{
    private const int BodyKept = 5105;

    private readonly TemporaryFolder _folder = new();
    private readonly ManualTimeProvider _time = new(DateTimeOffset.UtcNow);
    private readonly RecordingLog _log = new();

    public static IEnumerable<TheoryDataRow<Kill>> Kills => Enum.GetValues<Kill>().Select(kill => new TheoryDataRow<Kill>(kill));

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>What the process that is killed does.</summary>
    public enum Kill
    {
        Write,
        Add,
        Delete,
    }

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(Kills))]
    public async Task Killed_BetweenBodyAndRecord_IsCountedListedAndRemoved(Kill kill)
    {
        await LeaveBodyAsync(kill);
        using DirectoryDeadLetterStore store = Open();
        (await CountAsync(store)).ShouldBe(0, "A young body may be about to get its record.");
        _time.Advance(TimeSpan.FromHours(1));
        (await CountAsync(store)).ShouldBe(1);

        string name = store.Letters.List().ShouldHaveSingleItem();
        StoredDeadLetter letter = store.Letters.Find(name).ShouldNotBeNull();
        letter.Letter.Reason.ShouldBe("malformed-json");
        Encoding.UTF8.GetString(store.Letters.ReadBody(letter)!).ShouldBe("{");
        letter.Letter.Description.ShouldContain("was killed between the two files");
        _log.Entries.ShouldHaveSingleItem().Id.Id.ShouldBe(BodyKept);

        store.Letters.Delete(letter, "{"u8).ShouldBeTrue();
        (await CountAsync(store)).ShouldBe(0);
        Directory.GetFiles(_folder.Path, "*", SearchOption.AllDirectories).ShouldBeEmpty();
    }

    [Fact]
    public async Task Count_BodyIsBeingWritten_IsLeftToItsWriter()
    {
        await LeaveBodyAsync(Kill.Write);
        using DirectoryDeadLetterStore store = Open();

        for (int count = 0; count < 5; count++)
        {
            (await CountAsync(store)).ShouldBe(0);
            _time.Advance(TimeSpan.FromSeconds(5));
        }

        await store.WriteAsync(Letter(), "{"u8.ToArray(), Token);
        (await CountAsync(store)).ShouldBe(1);
        store.Letters.Find(store.Letters.List()[0])!.Letter.Description.ShouldBe("It ends early.");
    }

    [Fact]
    public async Task Add_AfterAKillOfTheSameMove_EndsItInsteadOfAddingACopy()
    {
        await LeaveBodyAsync(Kill.Add);
        using DirectoryDeadLetterStore store = Open();

        await store.AddAsync(Letter(), "{"u8.ToArray(), Token);

        string name = store.Letters.List().ShouldHaveSingleItem();
        name.ShouldNotEndWith("-2");
        Directory.GetFiles(_folder.Path, "*.body", SearchOption.AllDirectories).Length.ShouldBe(1);

        await store.AddAsync(Letter(), "{"u8.ToArray(), Token);
        store.Letters.List().ShouldBe([name, $"{name}-2"], ignoreOrder: true, "An equal one in the queue is another message.");
    }

    // Starts a process that is killed before its second file.
    private async Task LeaveBodyAsync(Kill kill)
    {
        bool isArmed = false;
        SyncedFolders host = new()
        {
            BeforeName = path => End(path.EndsWith(".json", StringComparison.Ordinal)),
            BeforeDelete = path => End(path.EndsWith(".body", StringComparison.Ordinal)),
        };
        using DirectoryDeadLetterStore process = Open(host);
        if (kill == Kill.Delete)
        {
            await process.WriteAsync(Letter(), "{"u8.ToArray(), Token);
        }

        string? name = process.Letters.List().FirstOrDefault();
        isArmed = true;
        await Should.ThrowAsync<InvalidOperationException>(async () => _ = kill switch
        {
            Kill.Write => await process.WriteAsync(Letter(), "{"u8.ToArray(), Token),
            Kill.Add => await process.AddAsync(Letter(), "{"u8.ToArray(), Token),
            _ => process.Letters.Delete(process.Letters.Find(name!)!, "{"u8) ? string.Empty : null,
        });

        void End(bool isSecond)
        {
            if (isArmed && isSecond)
            {
                throw new InvalidOperationException("killed");
            }
        }
    }

    private DirectoryDeadLetterStore Open(IFileHost? host = null) =>
        new(new DeadLettersOptions { Path = _folder.Path }, _time, new Logger<DirectoryDeadLetterStore>(_log), host);

    private async Task<long> CountAsync(DirectoryDeadLetterStore store) => (await store.CountWaitingAsync(Token))!.Count;

    private DeadLetter Letter() =>
        new()
        {
            SourceId = "m-1",
            Source = "http",
            Route = "orders",
            Reason = "malformed-json",
            Description = "It ends early.",
            Attempts = 1,
            FirstSeen = _time.GetUtcNow(),
            LastSeen = _time.GetUtcNow()
        };
}
