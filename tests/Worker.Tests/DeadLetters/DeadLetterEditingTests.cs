using System.Text;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Storage;
using Worker.Tests.Storage;

namespace Worker.Tests.DeadLetters;

/// <summary>Discarding, restoring and copying dead letters of the folder: whatever happens, none is lost.</summary>
public sealed class DeadLetterEditingTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ManualTimeProvider _time = new(new DateTimeOffset(2026, 11, 28, 10, 0, 0, TimeSpan.Zero));
    private readonly DirectoryDeadLetterStore _store;

    public DeadLetterEditingTests() => _store = new DirectoryDeadLetterStore(new DeadLettersOptions { Path = _folder["letters"] }, _time);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private IDeadLetterEditor Editor => _store;

    public void Dispose()
    {
        _store.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task Discard_ThenRestore_WaitsAgainUnchanged()
    {
        string name = await WriteAsync("{");
        DeadLetter before = _store.Letters.Find(name)!.Letter;

        _store.Discard(name).ShouldBeTrue();

        _store.Letters.List().ShouldBeEmpty();
        (await _store.CountWaitingAsync(Token))!.Count.ShouldBe(0);
        Editor.Discarded.EnumerateNames().ShouldBe([name]);
        BodyOf(Editor.Discarded, name).ShouldBe("{");
        _store.Discard(name).ShouldBeFalse();

        _store.Restore(name).ShouldBeTrue();

        (_store.Letters.Find(name)!.Letter with { Attributes = before.Attributes }).ShouldBe(before);
        BodyOf(_store, name).ShouldBe("{");
        Editor.Discarded.EnumerateNames().ShouldBeEmpty();
        _store.Restore(name).ShouldBeFalse();
        (await _store.CountWaitingAsync(Token))!.Count.ShouldBe(1);
    }

    [Fact]
    public async Task Discard_NameIsTakenByAnEditedOne_KeepsBoth()
    {
        string name = await WriteAsync("{");
        await File.WriteAllTextAsync(_store.Letters.PathOf($"{name}.body"), "edited", Token);
        _store.Discard(name).ShouldBeTrue();
        (await WriteAsync("{")).ShouldBe(name);

        _store.Discard(name).ShouldBeTrue();

        Editor.Discarded.EnumerateNames().Order(StringComparer.Ordinal).ShouldBe([name, $"{name}-2"]);
        BodyOf(Editor.Discarded, name).ShouldBe("edited");
        BodyOf(Editor.Discarded, $"{name}-2").ShouldBe("{");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Move_CrashedBetweenBodyAndRecord_IsEndedByTheNext(bool restoring)
    {
        string name = await WriteAsync("{");
        if (restoring)
        {
            _store.Discard(name).ShouldBeTrue();
        }

        string waiting = _store.Letters.PathOf($"{name}.body");
        string discarded = Path.Combine(_folder["letters"], ".discarded", $"{name}.body");
        Directory.CreateDirectory(Path.GetDirectoryName(discarded)!);
        File.Move(restoring ? discarded : waiting, restoring ? waiting : discarded);

        (restoring ? _store.Restore(name) : _store.Discard(name)).ShouldBeTrue();

        IDeadLetterReader reader = restoring ? _store : Editor.Discarded;
        reader.EnumerateNames().ShouldBe([name]);
        BodyOf(reader, name).ShouldBe("{");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Move_KilledAtEachFileOperation_IsListedAndEndedByTheNext(bool restoring)
    {
        string name = await WriteAsync("{");
        if (restoring)
        {
            _store.Discard(name).ShouldBeTrue();
        }

        (IDeadLetterReader from, IDeadLetterReader to) = restoring ? (Editor.Discarded, (IDeadLetterReader)_store) : (_store, Editor.Discarded);
        int killed = 0;
        for (; ; killed++)
        {
            int left = killed;
            SyncedFolders host = new() { BeforeMove = _ => { if (Interlocked.Decrement(ref left) == -1) { throw new InvalidOperationException("killed"); } } };
            using (DirectoryDeadLetterStore process = new(new DeadLettersOptions { Path = _folder["letters"] }, _time, host: host))
            {
                try
                {
                    (restoring ? process.Restore(name) : process.Discard(name)).ShouldBeTrue();
                    break;
                }
                catch (InvalidOperationException)
                {
                }
            }

            from.EnumerateNames().Concat(to.EnumerateNames()).ShouldBe([name], $"killed before move {killed + 1}");
            from.EnumerateNames().ShouldNotBeEmpty("The next call could not end it.");
            (restoring ? _store.Restore(name) : _store.Discard(name)).ShouldBeTrue();
            ShouldBeAt(to);

            // For the next kill.
            (restoring ? _store.Discard(name) : _store.Restore(name)).ShouldBeTrue();
            ShouldBeAt(from);
        }

        killed.ShouldBe(2);
        ShouldBeAt(to);

        void ShouldBeAt(IDeadLetterReader reader)
        {
            reader.EnumerateNames().ShouldBe([name]);
            BodyOf(reader, name).ShouldBe("{");
            Directory.GetFiles(_folder.Path, "*", SearchOption.AllDirectories).Length.ShouldBe(2);
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
        _store.Restore(name).ShouldBeFalse();
        (await Editor.CopyAsync(name, "x"u8.ToArray(), "why", Token)).ShouldBeNull();

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
        Editor.Discarded.EnumerateNames().Count().ShouldBe(2);

        // What a crash in a discard leaves: the record still waits.
        string interrupted = await WriteAsync("interrupted");
        string body = Path.Combine(_folder["letters"], ".discarded", $"{interrupted}.body");
        Directory.CreateDirectory(Path.GetDirectoryName(body)!);
        File.Move(_store.Letters.PathOf($"{interrupted}.body"), body);
        File.SetLastWriteTimeUtc(body, _time.GetUtcNow().UtcDateTime.AddYears(-1));

        _time.Advance(TimeSpan.FromDays(11));
        await _store.CountWaitingAsync(Token);

        Editor.Discarded.EnumerateNames().ShouldBe([young]);
        File.Exists(body).ShouldBeTrue();
        _store.Discard(interrupted).ShouldBeTrue();
        BodyOf(Editor.Discarded, interrupted).ShouldBe("interrupted");
    }

    [Fact]
    public async Task Copy_WithAnotherBody_LeavesTheOriginal()
    {
        string name = await WriteAsync("{\"quantity\":\"seven\"}");
        DateTimeOffset written = _time.GetUtcNow();
        _time.Advance(TimeSpan.FromDays(2));

        string copy = (await Editor.CopyAsync(name, "{\"quantity\":7}"u8.ToArray(), "a number", Token)).ShouldNotBeNull();

        DeadLetter record = Editor.ReadRecord(copy).ShouldNotBeNull();
        record.CopyOf.ShouldBe(name);
        record.Note.ShouldBe("a number");
        record.SourceId.ShouldBe("m-1");
        (record.FirstSeen, record.LastSeen).ShouldBe((written, written.AddDays(2)), "the copy is of today, its message is not");
        BodyOf(_store, copy).ShouldBe("{\"quantity\":7}");
        BodyOf(_store, name).ShouldBe("{\"quantity\":\"seven\"}");
        Editor.ReadRecord(name)!.CopyOf.ShouldBeNull();
    }

    private static string BodyOf(IDeadLetterReader reader, string name) => Encoding.UTF8.GetString(reader.ReadBodyStart(name, 1_000, out _)!);

    private async Task<string> WriteAsync(string body)
    {
        DeadLetter letter = new() { SourceId = "m-1", Source = "http", Route = "orders", Reason = "malformed-json", Description = "It ends early.", Attempts = 1, FirstSeen = _time.GetUtcNow(), LastSeen = _time.GetUtcNow() };
        return _store.Letters.NameOf(Path.ChangeExtension(await _store.WriteAsync(letter, Encoding.UTF8.GetBytes(body), Token), ".json"));
    }
}
