using System.Text;

namespace Quayside.Messaging.DeadLetters;

/// <summary>
/// The records of a store's dead letters in memory, without attributes and bodies: at most <see cref="Limit"/>, about 1 KB each. Each record is
/// read once, so that a hundred thousand can be listed and grouped without reading them again. Threads: any.
/// </summary>
/// <param name="reader">The store.</param>
/// <param name="time">The clock.</param>
public sealed class DeadLetterIndex(IDeadLetterReader reader, TimeProvider time)
{
    /// <summary>The maximum number of dead letters that are known; the newest count.</summary>
    public const int Limit = 100_000;

    /// <summary>The maximum number of bytes of a body that a search looks at.</summary>
    public const int MaxSearchedBytes = 64 << 10;

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

    /// <summary>What is known now. Lists the store if that is due, and reads new records for the rest of the given time, or a quarter of it; a later call continues.</summary>
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

    /// <summary>The dead letters that a filter asks for, the newest first.</summary>
    /// <param name="letters">Where to look, such as the letters of a view.</param>
    /// <param name="filter">The filter.</param>
    /// <param name="cancellationToken">Ends the search.</param>
    public IEnumerable<ListedDeadLetter> Find(IEnumerable<ListedDeadLetter> letters, DeadLetterFilter filter, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(letters);
        ArgumentNullException.ThrowIfNull(filter);
        foreach (ListedDeadLetter letter in letters)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (filter.Covers(letter) && (filter.IsInRecord(letter) || IsInBody(filter, letter)))
            {
                yield return letter;
            }
        }
    }

    /// <summary>The start of a dead letter's body for a search or a list; empty when it cannot be read.</summary>
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

    /// <summary>True when the filter's search is in the body. Reads the body.</summary>
    /// <param name="filter">A filter with a search.</param>
    /// <param name="letter">The dead letter.</param>
    public bool IsInBody(DeadLetterFilter filter, ListedDeadLetter letter)
    {
        ArgumentNullException.ThrowIfNull(filter);
        ArgumentNullException.ThrowIfNull(letter);
        return Encoding.UTF8.GetString(BodyOf(letter.Name, MaxSearchedBytes, out _)).Contains(filter.Search!, StringComparison.OrdinalIgnoreCase);
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

    private ListedDeadLetter Listed(string name, DeadLetter record)
    {
        string[] parts = name.Split('/');
        return new ListedDeadLetter(name, record, Shared(parts[0]), parts.Length == 3 ? Shared(parts[1]) : string.Empty);
    }

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
/// <param name="Day">The day of its dead-lettering (UTC) as yyyyMMdd.</param>
public sealed record ListedDeadLetter(string Name, DeadLetter Record, string ReasonFolder, string Day)
{
    /// <summary>True when its record cannot be read; the description says why.</summary>
    public bool IsDamaged { get; init; }
}

/// <summary>What is known of a store's dead letters.</summary>
/// <param name="Letters">Those whose records were read, the newest first.</param>
/// <param name="Unread">How many were listed and not read yet.</param>
/// <param name="IsMore">True when the store has more than <see cref="DeadLetterIndex.Limit"/>.</param>
public sealed record DeadLetterView(IReadOnlyList<ListedDeadLetter> Letters, int Unread, bool IsMore)
{
    /// <summary>The dead letters by what happened: reason, type of the exception, route and handler. The largest group first.</summary>
    public IReadOnlyList<DeadLetterGroup> Groups => field ??= [.. Letters
        .GroupBy(static letter => (letter.ReasonFolder, letter.Record.ExceptionType, letter.Record.Route, letter.Record.Handler))
        .Select(static group => new DeadLetterGroup(
            group.Key.ReasonFolder, group.Key.ExceptionType, group.Key.Route, group.Count(), group.Min(static letter => letter.Record.LastSeen).ToUniversalTime(), group.Max(static letter => letter.Record.LastSeen).ToUniversalTime()) { Handler = group.Key.Handler })
        .OrderByDescending(static group => group.Count)];
}

/// <summary>Dead letters with one cause.</summary>
/// <param name="Reason">The reason code.</param>
/// <param name="ExceptionType">The full name of the exception's type; null where none was thrown.</param>
/// <param name="Route">The route that dead-lettered them.</param>
/// <param name="Count">How many.</param>
/// <param name="First">When the oldest was dead-lettered.</param>
/// <param name="Last">When the newest was dead-lettered.</param>
public sealed record DeadLetterGroup(string Reason, string? ExceptionType, string Route, int Count, DateTimeOffset First, DateTimeOffset Last)
{
    /// <summary>The route's handler when it dead-lettered them; null where the records do not tell.</summary>
    public string? Handler { get; init; }
}

/// <summary>Which dead letters are asked for: all that match every part that is set. Null and empty parts match all.</summary>
/// <param name="Reason">The reason code.</param>
/// <param name="ExceptionType">The full name of the exception's type; <c>none</c> for those without an exception.</param>
/// <param name="Route">The route that dead-lettered them.</param>
/// <param name="Day">The day of the dead-lettering (UTC), with or without hyphens.</param>
/// <param name="Search">A text in the id, the description, the exception's type or the first 64 KB of the body; upper and lower case are equal.</param>
/// <param name="Handler">The name of the route's handler when it dead-lettered them; <c>none</c> for those whose record does not tell.</param>
public sealed record DeadLetterFilter(string? Reason = null, string? ExceptionType = null, string? Route = null, string? Day = null, string? Search = null, string? Handler = null)
{
    /// <summary>The exception's type of a filter for dead letters without an exception; likewise of a handler.</summary>
    public const string NoException = "none";

    /// <summary>True when every part but the search matches.</summary>
    public bool Covers(ListedDeadLetter letter)
    {
        ArgumentNullException.ThrowIfNull(letter);
        return (string.IsNullOrEmpty(Reason) || letter.ReasonFolder == Reason)
            && (string.IsNullOrEmpty(ExceptionType) || (letter.Record.ExceptionType ?? NoException) == ExceptionType)
            && (string.IsNullOrEmpty(Handler) || (letter.Record.Handler ?? NoException) == Handler)
            && (string.IsNullOrEmpty(Route) || letter.Record.Route == Route)
            && (string.IsNullOrEmpty(Day) || letter.Day == Day.Replace("-", string.Empty, StringComparison.Ordinal));
    }

    /// <summary>True when the search is in the record, or there is no search.</summary>
    public bool IsInRecord(ListedDeadLetter letter)
    {
        ArgumentNullException.ThrowIfNull(letter);
        return string.IsNullOrEmpty(Search)
            || letter.Record.SourceId.Contains(Search, StringComparison.OrdinalIgnoreCase)
            || letter.Record.Description.Contains(Search, StringComparison.OrdinalIgnoreCase)
            || letter.Record.ExceptionType?.Contains(Search, StringComparison.OrdinalIgnoreCase) == true;
    }
}
