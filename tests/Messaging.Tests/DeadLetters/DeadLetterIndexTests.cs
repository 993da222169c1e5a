using System.Text;
using Quayside.Messaging.DeadLetters;

namespace Messaging.Tests.DeadLetters;

public sealed class DeadLetterIndexTests
{
    private static readonly DateTimeOffset Day = new(2026, 11, 28, 0, 0, 0, TimeSpan.Zero);
    private static readonly TimeSpan Budget = TimeSpan.FromMilliseconds(100);

    private readonly ManualTimeProvider _time = new(Day);
    private readonly Letters _letters = new();
    private readonly DeadLetterIndex _index;

    public DeadLetterIndexTests() => _index = new DeadLetterIndex(_letters, _time);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public void Read_AgainAndAgain_ReadsEachRecordOnce()
    {
        _letters.Add("a", minute: 1);
        _letters.Add("b", minute: 2);
        Names().ShouldBe(["b", "a"]);
        _letters.Add("c", minute: 3);
        Names().ShouldBe(["c", "b", "a"]);
        _letters.Remove("b");
        Names().ShouldBe(["c", "a"]);

        _letters.Reads.ShouldBe(3);
    }

    [Fact]
    public void Read_TakesTooLong_GoesOnWithTheNextCall()
    {
        for (int i = 0; i < 10; i++)
        {
            _letters.Add($"l{i}", minute: i);
        }

        _letters.Reading = () => _time.Advance(Budget / 4);

        DeadLetterView view = _index.Read(Budget, Token);

        (view.Letters.Count, view.Unread).ShouldBe((4, 6));
        view = _index.Read(Budget, Token);
        (view.Letters.Count, view.Unread).ShouldBe((8, 2));
        view = _index.Read(Budget, Token);
        (view.Letters.Count, view.Unread).ShouldBe((10, 0));
        _letters.Reads.ShouldBe(10);
    }

    [Fact]
    public void Read_StoreListsSlowly_IsNotListedEachTime()
    {
        _letters.Listing = () => _time.Advance(TimeSpan.FromSeconds(1));
        _letters.Add("a", minute: 1);
        Names().ShouldBe(["a"]);
        _letters.Add("b", minute: 2);

        Names().ShouldBe(["a"]);
        _index.Invalidate();
        Names().ShouldBe(["b", "a"]);
        _letters.Remove("a");
        _time.Advance(TimeSpan.FromSeconds(21));
        Names().ShouldBe(["b"]);
    }

    [Fact]
    public void Read_ListingTakesTheTime_ReadsForAQuarterOfTheBudget()
    {
        for (int i = 0; i < 10; i++)
        {
            _letters.Add($"l{i}", minute: i);
        }

        _letters.Listing = () => _time.Advance(Budget * 10);
        _letters.Reading = () => _time.Advance(Budget / 8);

        DeadLetterView view = _index.Read(Budget, Token);

        (view.Letters.Count, view.Unread).ShouldBe((2, 8));
        view = _index.Read(Budget, Token);
        (view.Letters.Count, view.Unread).ShouldBe((10, 0));
    }

    [Fact]
    public void Read_RecordIsDamaged_IsListedAndReadAgain()
    {
        _letters.Add("a", minute: 1);
        _letters.Damage = "a";

        ListedDeadLetter damaged = _index.Read(Budget, Token).Letters.ShouldHaveSingleItem();
        damaged.IsDamaged.ShouldBeTrue();
        damaged.Record.Description.ShouldBe("It is damaged.");
        _letters.Damage = null;

        _index.Read(Budget, Token).Letters.ShouldHaveSingleItem().IsDamaged.ShouldBeFalse();
    }

    [Fact]
    public void Read_MoreThanTheLimit_SaysSo()
    {
        for (int i = 0; i <= DeadLetterIndex.Limit; i++)
        {
            _letters.Add($"l{i}", minute: i);
        }

        DeadLetterView view = _index.Read(Budget, Token);

        view.IsMore.ShouldBeTrue();
        view.Letters.Count.ShouldBe(DeadLetterIndex.Limit);
    }

    [Fact]
    public void Groups_AreByReasonAndRoute()
    {
        _letters.Add("a", minute: 1);
        _letters.Add("b", minute: 5);
        _letters.Add("d", minute: 3, route: "other");

        _index.Read(Budget, Token).Groups.ShouldBe(
        [
            new DeadLetterGroup("malformed-json", "orders", 2, Day.AddMinutes(1), Day.AddMinutes(5)),
            new DeadLetterGroup("malformed-json", "other", 1, Day.AddMinutes(3), Day.AddMinutes(3)),
        ]);
    }

    [Theory]
    [InlineData(null, null, "cba")]
    [InlineData("malformed-json", null, "cba")]
    [InlineData("none", null, "")]
    [InlineData(null, "other", "c")]
    [InlineData("malformed-json", "orders", "ba")]
    public void Filter_CoversThoseThatMatchAllOfIt(string? reason, string? route, string names)
    {
        DeadLetterFilter filter = new(reason, route);
        _letters.Add("a", minute: 1);
        _letters.Add("b", minute: 2);
        _letters.Add("c", minute: 3, route: "other");

        string.Concat(_index.Read(Budget, Token).Letters.Where(filter.Covers).Select(letter => Letters.IdOf(letter.Name))).ShouldBe(names);
    }

    private string[] Names() => [.. _index.Read(Budget, Token).Letters.Select(letter => Letters.IdOf(letter.Name))];

    private sealed class Letters : IDeadLetterReader
    {
        private readonly Dictionary<string, DeadLetter> _records = new(StringComparer.Ordinal);

        public int Reads { get; private set; }

        public string? Damage { get; set; }

        public Action Listing { get; set; } = () => { };

        public Action Reading { get; set; } = () => { };

        public string Location => "memory";

        public static string IdOf(string name) => name.Split('/')[2];

        public void Add(string id, int minute, string route = "orders") => _records[$"malformed-json/20261128/{id}"] = new DeadLetter
        {
            SourceId = $"id-{id}",
            Source = "http",
            Route = route,
            Reason = "malformed-json",
            Description = "It ends early.",
            Attempts = 1,
            FirstSeen = Day,
            LastSeen = Day.AddMinutes(minute),
        };

        public void Remove(string id) => _records.Remove($"malformed-json/20261128/{id}");

        public IEnumerable<string> EnumerateNames()
        {
            Listing();
            return [.. _records.Keys];
        }

        public DeadLetter? ReadRecord(string name)
        {
            Reads++;
            Reading();
            return IdOf(name) == Damage ? throw new IOException("It is damaged.") : _records.GetValueOrDefault(name);
        }

        public byte[]? ReadBodyStart(string name, int maxBytes, out long length)
        {
            byte[] body = Encoding.UTF8.GetBytes($"The body of {IdOf(name)}.");
            length = body.Length;
            return body;
        }
    }
}
