using System.Globalization;
using System.Text;

namespace Proof.Kills;

/// <summary>What was sent, kept apart from the worker. Threads: any.</summary>
internal sealed class Ledger
{
    private readonly Dictionary<string, Entry> _entries = [];
    private readonly Lock _lock = new();
    private readonly Random _random;
    private readonly string _prefix;

    public Ledger(int seed)
    {
        _random = new Random(seed);
        _prefix = string.Create(CultureInfo.InvariantCulture, $"k{seed}");
    }

    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _entries.Count;
            }
        }
    }

    public IReadOnlyCollection<Entry> Entries
    {
        get
        {
            lock (_lock)
            {
                return [.. _entries.Values];
            }
        }
    }

    /// <summary>Makes a message; one in forty is poison.</summary>
    public Entry Next()
    {
        lock (_lock)
        {
            string id = string.Create(CultureInfo.InvariantCulture, $"{_prefix}-{_entries.Count}");
            bool isPoison = _random.Next(40) == 0;
            string filler = new((char)('a' + _random.Next(26)), _random.Next(4) == 0 ? _random.Next(20_000) : _random.Next(400));
            string body = $"{{\"MessageId\":\"{id}"
                + $"\",\"EventDateUtc\":\"2026-01-31T10:00:00Z\",\"Product\":\"shop\",\"SiteKey\":\"eu\",\"EventName\":\"sold\",\"Filler\":\"{filler}\""
                + $"{(isPoison ? string.Empty : "}")}";
            Entry entry = new(id, Encoding.UTF8.GetBytes(body), isPoison);
            _entries.Add(id, entry);
            return entry;
        }
    }

    /// <summary>A message of the ledger.</summary>
    /// <param name="Id">Its id.</param>
    /// <param name="Body">Its bytes.</param>
    /// <param name="IsPoison">True when the body is cut short, so that it must become a dead letter.</param>
    internal sealed record Entry(string Id, byte[] Body, bool IsPoison)
    {
        /// <summary>Where the default template stores it.</summary>
        public string Key => $"shop/eu/sold/2026/01/31/10/{Id}.json";
    }
}
