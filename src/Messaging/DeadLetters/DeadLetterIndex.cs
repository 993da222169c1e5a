namespace Quayside.Messaging.DeadLetters;

/// <summary>
/// The records of a store's dead letters in memory, without attributes and bodies: at most <see cref="Limit"/>, about 1 KB each. Each record is
/// read once, so that a hundred thousand can be listed and grouped without reading them again. Threads: any.
/// </summary>
/// <param name="reader">The store.</param>
/// <param name="time">The clock.</param>
internal sealed class DeadLetterIndex(IDeadLetterReader reader, TimeProvider time)
{
    /// <summary>The maximum number of dead letters that are known; the newest count.</summary>
    public const int Limit = 100_000;

    private const int MaxDescription = 2_000;

    // Listing takes at most this share of the time.
    private const int Share = 20;

    // Of a budget, for reading records after a slow listing.
    private const int MinShare = 4;

    private static readonly TimeSpan AlwaysFresh = TimeSpan.FromMilliseconds(20);
    private static readonly Dictionary<string, string> NoAttributes = new(StringComparer.Ordinal);

    private readonly Lock _gate = new();
    private readonly HashSet<string> _texts = new(StringComparer.Ordinal);
    private Dictionary<string, ListedDeadLetter> _read = new(StringComparer.Ordinal);
    private List<string> _names = [];
    private int _next;
    private bool _isMore;
    private DeadLetterView _view = new([], 0, IsMore: false);
    private TimeSpan _listing;
    private long _listedAt;
    private bool _isStale = true;

    /// <summary>Makes the next call list the store again.</summary>
    public void Invalidate()
    {
        lock (_gate)
        {
            _isStale = true;
        }
    }

    /// <summary>
    /// What is known now. Lists the store if that is due, and reads new records for the rest of the given time, or a quarter of it; a later call continues.
    /// </summary>
    /// <param name="budget">The time for listing and reading.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="IOException">The store cannot be listed.</exception>
    /// <exception cref="UnauthorizedAccessException">Likewise.</exception>
    public DeadLetterView Read(TimeSpan budget, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            long began = time.GetTimestamp();
            if (_isStale || (_next == _names.Count && (_listing < AlwaysFresh || time.GetElapsedTime(_listedAt) > _listing * Share)))
            {
                List();
            }

            // What listing took is no longer there for reading, but a quarter of the budget is: each call makes progress.
            long started = time.GetTimestamp();
            TimeSpan listed = time.GetElapsedTime(began, started);
            TimeSpan left = budget - listed > budget / MinShare ? budget - listed : budget / MinShare;
            int before = _next;
            for (; _next < _names.Count && time.GetElapsedTime(started) < left; _next++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                AddRecord(_names[_next]);
            }

            if (_next > before)
            {
                Show(_read.Values.OrderByDescending(static letter => letter.Record.LastSeen).ThenBy(static letter => letter.Name, StringComparer.Ordinal));
            }

            return _view;
        }
    }

    /// <summary>The start of a dead letter's body for a list; empty when it cannot be read.</summary>
    /// <param name="name">The dead letter.</param>
    /// <param name="maxBytes">The maximum number of bytes.</param>
    /// <param name="length">The length of the whole body.</param>
    public byte[] BodyOf(string name, int maxBytes, out long length)
    {
        try
        {
            return reader.ReadBodyStart(name, maxBytes, out length) ?? [];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            length = 0;
            return [];
        }
    }

    private void List()
    {
        long started = time.GetTimestamp();
        List<string> names = [.. reader.EnumerateNames().Take(Limit + 1)];
        _isMore = names.Count > Limit;
        if (_isMore)
        {
            names.RemoveAt(Limit);
        }

        // What could not be read is read again: it may have been corrected.
        Dictionary<string, ListedDeadLetter> read = new(names.Count, StringComparer.Ordinal);
        List<string> unread = [];
        foreach (string name in names)
        {
            if (_read.TryGetValue(name, out ListedDeadLetter? known) && !known.IsDamaged)
            {
                read[name] = known;
            }
            else
            {
                unread.Add(name);
            }
        }

        bool isSame = read.Count == _read.Count && unread.Count == 0 && _isMore == _view.IsMore;
        (_read, _names, _next, _isStale) = (read, unread, 0, false);
        if (!isSame)
        {
            Show(_view.Letters.Where(letter => read.ContainsKey(letter.Name)));
        }

        _listedAt = time.GetTimestamp();
        _listing = time.GetElapsedTime(started, _listedAt);
    }

    private void Show(IEnumerable<ListedDeadLetter> letters) => _view = new DeadLetterView([.. letters], _names.Count - _next, _isMore);

    private void AddRecord(string name)
    {
        if (TryRead(name) is { } letter)
        {
            _read[name] = letter;
        }
    }

    // A damaged record is listed with the facts in its name, not left out.
    private ListedDeadLetter? TryRead(string name)
    {
        try
        {
            return reader.ReadRecord(name) is { } record ? Listed(name, Shortened(record)) : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return Listed(name, new DeadLetter
            {
                SourceId = name[(name.LastIndexOf('/') + 1)..],
                Source = string.Empty,
                Route = string.Empty,
                Reason = name.Split('/')[0],
                Description = exception.Message,
                Attempts = 0,
                FirstSeen = default,
                LastSeen = default,
            }) with
            {
                IsDamaged = true,
            };
        }
    }

    private ListedDeadLetter Listed(string name, DeadLetter record) => new(name, record, Shared(name.Split('/')[0]));

    private DeadLetter Shortened(DeadLetter record) => record with
    {
        Source = Shared(record.Source),
        Route = Shared(record.Route),
        Reason = Shared(record.Reason),
        Handler = record.Handler is { } handler ? Shared(handler) : null,
        ExceptionType = record.ExceptionType is { } type ? Shared(type) : null,
        Description = Shared(record.Description.Length > MaxDescription ? record.Description[..MaxDescription] : record.Description),
        Exception = null,
        Attributes = NoAttributes,
    };

    // Most dead letters have one of few texts.
    private string Shared(string text)
    {
        if (_texts.TryGetValue(text, out string? known))
        {
            return known;
        }

        if (_texts.Count < Limit / 100)
        {
            _texts.Add(text);
        }

        return text;
    }
}

/// <summary>A dead letter in a list.</summary>
/// <param name="Name">Its name in the store.</param>
/// <param name="Record">Its record without exception and attributes.</param>
/// <param name="ReasonFolder">The reason as the name has it: of the characters that a name may have.</param>
internal sealed record ListedDeadLetter(string Name, DeadLetter Record, string ReasonFolder)
{
    /// <summary>True when its record cannot be read; the description says why.</summary>
    public bool IsDamaged { get; init; }
}

/// <summary>What is known of a store's dead letters.</summary>
/// <param name="Letters">Those whose records were read, the newest first.</param>
/// <param name="Unread">How many were listed and not read yet.</param>
/// <param name="IsMore">True when the store has more than <see cref="DeadLetterIndex.Limit"/>.</param>
internal sealed record DeadLetterView(IReadOnlyList<ListedDeadLetter> Letters, int Unread, bool IsMore)
{
    /// <summary>The dead letters by reason and route, the largest group first.</summary>
    public IReadOnlyList<DeadLetterGroup> Groups => field ??= [.. Letters
        .GroupBy(static letter => (letter.ReasonFolder, letter.Record.Route))
        .Select(static group => new DeadLetterGroup(
            group.Key.ReasonFolder,
            group.Key.Route,
            group.Count(),
            group.Min(static letter => letter.Record.LastSeen).ToUniversalTime(),
            group.Max(static letter => letter.Record.LastSeen).ToUniversalTime()))
        .OrderByDescending(static group => group.Count)];
}

/// <summary>Dead letters of one reason and route.</summary>
/// <param name="Reason">The reason code.</param>
/// <param name="Route">The route that dead-lettered them.</param>
/// <param name="Count">How many.</param>
/// <param name="First">When the oldest was dead-lettered.</param>
/// <param name="Last">When the newest was dead-lettered.</param>
internal sealed record DeadLetterGroup(string Reason, string Route, int Count, DateTimeOffset First, DateTimeOffset Last);

/// <summary>Which dead letters are asked for: all that match every part that is set. Null and empty parts match all.</summary>
/// <param name="Reason">The reason code.</param>
/// <param name="Route">The route that dead-lettered them.</param>
internal sealed record DeadLetterFilter(string? Reason = null, string? Route = null)
{
    /// <summary>True when every part matches.</summary>
    public bool Covers(ListedDeadLetter letter)
    {
        ArgumentNullException.ThrowIfNull(letter);
        return (string.IsNullOrEmpty(Reason) || letter.ReasonFolder == Reason) && (string.IsNullOrEmpty(Route) || letter.Record.Route == Route);
    }
}
