using System.Text;
using Messaging.Tests.Storage;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.DeadLetters;

/// <summary>Discarding dead letters of the folder: whatever happens, none is lost before its days are over.</summary>
public sealed class DeadLetterDiscardTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ManualTimeProvider _time = new(new DateTimeOffset(2026, 11, 28, 10, 0, 0, TimeSpan.Zero));
    private readonly DirectoryDeadLetterStore _store;

    public DeadLetterDiscardTests() => _store = new DirectoryDeadLetterStore(new DeadLettersOptions { Path = _folder["letters"] }, _time);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private IDeadLetterReader Discarded => new DeadLetterFiles(new DurableFolder(_folder["letters"], fsync: false), ".discarded/");

    public void Dispose()
    {
        _store.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task Discard_NoLongerWaits_AndKeepsItsBytes()
    {
        string name = await WriteAsync("{");

        _store.Discard(name).ShouldBeTrue();

        _store.Letters.List().ShouldBeEmpty();
        (await _store.CountWaitingAsync(Token))!.Count.ShouldBe(0);
        Discarded.EnumerateNames().ShouldBe([name]);
        BodyOf(Discarded, name).ShouldBe("{");
        _store.Discard(name).ShouldBeFalse();
    }

    [Fact]
    public async Task Discard_NameIsTakenByAnEditedOne_KeepsBoth()
    {
        string name = await WriteAsync("{");
        await File.WriteAllTextAsync(_store.Letters.PathOf($"{name}.body"), "edited", Token);
        _store.Discard(name).ShouldBeTrue();
        (await WriteAsync("{")).ShouldBe(name);

        _store.Discard(name).ShouldBeTrue();

        Discarded.EnumerateNames().Order(StringComparer.Ordinal).ShouldBe([name, $"{name}-2"]);
        BodyOf(Discarded, name).ShouldBe("edited");
        BodyOf(Discarded, $"{name}-2").ShouldBe("{");
    }

    [Fact]
    public async Task Discard_KilledAtEachFileOperation_IsListedAndEndedByTheNext()
    {
        for (int killed = 0; killed < 2; killed++)
        {
            string name = await WriteAsync($"{{{killed}");
            int left = killed;
            SyncedFolders host = new() { BeforeMove = _ => End(Interlocked.Decrement(ref left) == -1) };
            using (DirectoryDeadLetterStore process = new(new DeadLettersOptions { Path = _folder["letters"] }, _time, host: host))
            {
                Should.Throw<InvalidOperationException>(() => process.Discard(name));
            }

            _store.Letters.List().ShouldBe([name], $"killed before move {killed + 1}: the next call can end it");

            _store.Discard(name).ShouldBeTrue();

            _store.Letters.List().ShouldBeEmpty();
            BodyOf(Discarded, name).ShouldBe($"{{{killed}");
        }

        Directory.GetFiles(_folder.Path, "*", SearchOption.AllDirectories).Length.ShouldBe(4);

        static void End(bool isDue)
        {
            if (isDue)
            {
                throw new InvalidOperationException("killed");
            }
        }
    }

    [Theory]
    [InlineData("../letters/a/b")]
    [InlineData("a/b")]
    [InlineData(".discarded/20261128/x")]
    [InlineData("malformed-json/20261128/none")]
    public async Task Discard_OfNoDeadLetter_TouchesNothing(string name)
    {
        await WriteAsync("{");

        _store.Discard(name).ShouldBeFalse();

        Directory.GetFiles(_folder.Path, "*", SearchOption.AllDirectories).Length.ShouldBe(2);
    }

    [Fact]
    public async Task Discarded_AfterItsDays_IsDeleted()
    {
        string old = await WriteAsync("old");
        _store.Discard(old).ShouldBeTrue();
        _time.Advance(TimeSpan.FromDays(20));
        string young = await WriteAsync("young");
        _store.Discard(young).ShouldBeTrue();
        await _store.CountWaitingAsync(Token);
        Discarded.EnumerateNames().Count().ShouldBe(2);

        // What a crash in a discard leaves: the record still waits.
        string interrupted = await WriteAsync("interrupted");
        string body = Path.Combine(_folder["letters"], ".discarded", $"{interrupted}.body");
        Directory.CreateDirectory(Path.GetDirectoryName(body)!);
        File.Move(_store.Letters.PathOf($"{interrupted}.body"), body);
        File.SetLastWriteTimeUtc(body, _time.GetUtcNow().UtcDateTime.AddYears(-1));

        _time.Advance(TimeSpan.FromDays(11));
        await _store.CountWaitingAsync(Token);

        Discarded.EnumerateNames().ShouldBe([young]);
        File.Exists(body).ShouldBeTrue();
        _store.Discard(interrupted).ShouldBeTrue();
        BodyOf(Discarded, interrupted).ShouldBe("interrupted");
    }

    private static string BodyOf(IDeadLetterReader reader, string name) => Encoding.UTF8.GetString(reader.ReadBodyStart(name, 1_000, out _)!);

    private async Task<string> WriteAsync(string body)
    {
        DeadLetter letter = new()
        {
            SourceId = "m-1",
            Source = "http",
            Route = "orders",
            Reason = "malformed-json",
            Description = "It ends early.",
            Attempts = 1,
            FirstSeen = _time.GetUtcNow(),
            LastSeen = _time.GetUtcNow(),
        };
        return _store.Letters.NameOf(Path.ChangeExtension(await _store.WriteAsync(letter, Encoding.UTF8.GetBytes(body), Token), ".json"));
    }
}
