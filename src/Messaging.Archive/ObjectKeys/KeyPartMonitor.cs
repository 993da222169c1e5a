using System.Collections.Immutable;
using System.Diagnostics.Metrics;
using System.Globalization;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>
/// Counts, per property of a route's key, the messages in which it is missing, the values that do not fit their rule, and implausible dates:
/// such messages may share a prefix with others, or have the wrong one. It logs the first of each, and implausible dates from time to time.
/// Threads: any. 0 bytes allocated, except for what is logged.
/// </summary>
internal sealed partial class KeyPartMonitor
{
    private static readonly TimeSpan DateLineInterval = TimeSpan.FromMinutes(10);

    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> Faults = Meter.CreateCounter<long>(
        "worker.keys.part_faults", "{part}",
        "Properties of object keys that were missing, did not fit their rule, or are dates before 1990 or more than a year ahead, "
            + "by property and reason (missing, invalid, implausible)");

    private readonly string _route;
    private readonly ImmutableArray<HeaderProperty> _properties;
    private readonly MissingPropertyRule _missingRule;
    private readonly InvalidValueRule _invalidRule;
    private readonly ILogger _logger;
    private readonly string[] _names;
    private readonly long[] _missing;
    private readonly long[] _invalid;
    private readonly long[] _implausible;
    private readonly LogThrottle[] _dateLines;
    private readonly TimeProvider _time;

    // The year of the clock when it was last read: most dates are no later, and need no look at the clock.
    private volatile int _year;

    /// <param name="route">The route's name.</param>
    /// <param name="properties">The template's properties, in its order.</param>
    /// <param name="options">The rules for such messages.</param>
    /// <param name="time">The clock that dates are compared with.</param>
    /// <param name="logger">Receives the first of each.</param>
    public KeyPartMonitor(string route, ImmutableArray<HeaderProperty> properties, ArchiveOptions options, TimeProvider time, ILogger logger)
    {
        _route = route;
        _properties = properties;
        _missingRule = options.MissingProperty;
        _invalidRule = options.InvalidValue;
        _logger = logger;
        _names = [.. properties.Select(property => property.LogText)];
        _missing = new long[properties.Length];
        _invalid = new long[properties.Length];
        _implausible = new long[properties.Length];
        _dateLines = [.. properties.Select(_ => new LogThrottle(time, DateLineInterval))];
        _time = time;
        _year = time.GetUtcNow().Year;
    }

    /// <summary>Shown messages without a property.</summary>
    public Action<ReadOnlyMemory<byte>> LookForEnvelope { get; init; } = static _ => { };

    /// <summary>Counts a message without a property.</summary>
    /// <param name="slot">The property.</param>
    /// <param name="header">Read from the message.</param>
    public void CountMissing(int slot, ArchiveHeader header)
    {
        Faults.Add(1, new("worker.route", _route), new("worker.property", _names[slot]), new("worker.reason", "missing"));
        LookForEnvelope(header.Body);
        if (Interlocked.Increment(ref _missing[slot]) == 1)
        {
            string outcome = _missingRule == MissingPropertyRule.DeadLetter
                ? "such messages are dead-lettered"
                : (_properties[slot].Use & ~(HeaderUse.AnyDate | HeaderUse.Raw)) != HeaderUse.None
                ? "its part of the key is \"unknown\""
                : "the levels of the date are left out";
            string? near = PropertyNameHint.Find(header.Body, _properties[slot].Path);
            LogMissing(_route, _names[slot], near is null ? "" : $" (it has \"{near}\": names are case-sensitive)", outcome);
        }
    }

    /// <summary>Counts a value that does not fit its rule.</summary>
    /// <param name="slot">The property.</param>
    /// <param name="rule">The rule of the placeholder.</param>
    public void CountInvalid(int slot, KeyRule rule)
    {
        string outcome = _invalidRule switch
        {
            InvalidValueRule.DeadLetter => "such messages are dead-lettered",
            InvalidValueRule.Encode => "such values are escaped",
            _ => "its part of the key is \"invalid\", shared by all such values",
        };
        CountInvalid(slot, rule switch
        {
            KeyRule.Seed => "the default rule",
            KeyRule.Keep => "the rule keep",
            KeyRule.Lower => "the rule lower",
            KeyRule.Encode => "the rule encode",
            KeyRule.Number => "the rule number",
            _ => "the rule any",
        }, outcome);
    }

    private void CountInvalid(int slot, string rule, string outcome)
    {
        Faults.Add(1, new("worker.route", _route), new("worker.property", _names[slot]), new("worker.reason", "invalid"));
        if (Interlocked.Increment(ref _invalid[slot]) == 1)
        {
            LogInvalid(_route, _names[slot], rule, outcome);
        }
    }

    /// <summary>Counts a date that cannot be read, whose levels are left out.</summary>
    /// <param name="slot">The property.</param>
    public void CountBadDate(int slot) => CountInvalid(slot, "any known form of a date", "the levels of the date are left out");

    /// <summary>Counts a date that is implausible. The message is stored under it all the same.</summary>
    /// <param name="slot">A property that is used as a date.</param>
    /// <param name="header">Read from the message.</param>
    public void CheckDate(int slot, ArchiveHeader header)
    {
        HeaderDate date = header.Date(slot);
        if (date.HasValue && (date.Year < ImplausibleDate.FirstYear || date.Year > _year))
        {
            CheckUnusualDate(slot, date, header);
        }
    }

    /// <summary>The counts since the start in one line; null when there are none.</summary>
    public string? Describe()
    {
        List<string> counts = [];
        for (int slot = 0; slot < _names.Length; slot++)
        {
            Add(slot, Volatile.Read(ref _missing[slot]), "missing");
            Add(slot, Volatile.Read(ref _invalid[slot]), "invalid");
            Add(slot, Volatile.Read(ref _implausible[slot]), "implausible");
        }

        return counts.Count == 0 ? null : string.Join(", ", counts);

        void Add(int slot, long count, string reason)
        {
            if (count > 0)
            {
                counts.Add($"{_names[slot]} {reason} {count}");
            }
        }
    }

    private void CheckUnusualDate(int slot, HeaderDate date, ArchiveHeader header)
    {
        DateTimeOffset now = _time.GetUtcNow();
        _year = now.Year;
        if (!ImplausibleDate.IsImplausible(date, now))
        {
            return;
        }

        Faults.Add(1, new("worker.route", _route), new("worker.property", _names[slot]), new("worker.reason", "implausible"));
        Interlocked.Increment(ref _implausible[slot]);
        if (_dateLines[slot].ShouldLog(out SuppressedLines suppressed))
        {
            LogImplausible(
                _route, _names[slot], ImplausibleDate.Show(date), ImplausibleDate.Find(date, now)!,
                ImplausibleDate.SuggestUnit(header.Text(slot), _properties[slot].Use, now), suppressed);
        }
    }

    [LoggerMessage(
        5201, LogLevel.Warning,
        "Route {Route}: a message has no {Property}{Near}; {Outcome}. Further cases are only counted (metric worker.keys.part_faults). "
            + "See explain-key and Handlers:Archive:MissingProperty")]
    private partial void LogMissing(string route, string property, string near, string outcome);

    [LoggerMessage(
        5202, LogLevel.Warning,
        "Route {Route}: the value of {Property} does not fit {Rule}; {Outcome}. Further cases are only counted (metric worker.keys.part_faults). See "
            + "explain-key and Handlers:Archive:InvalidValue")]
    private partial void LogInvalid(string route, string property, string rule, string outcome);

    [LoggerMessage(
        5203, LogLevel.Warning,
        "Route {Route}: the date of {Property} is {Date}, {Why}. The message is stored under this date{Suggestion}. Compare the template's rule with what the "
            + "sender sends, and check this machine's clock (metric worker.keys.part_faults, reason implausible){Suppressed}")]
    private partial void LogImplausible(string route, string property, string date, string why, string suggestion, SuppressedLines suppressed);
}

/// <summary>Detects dates that hardly any message means, which a wrong unit or a wrong clock makes.</summary>
internal static class ImplausibleDate
{
    /// <summary>Dates before this year are implausible.</summary>
    public const int FirstYear = 1990;

    private static readonly (HeaderUse Unit, string Rule, string Name)[] Units =
    [
        (HeaderUse.Epoch, "epoch", "seconds"),
        (HeaderUse.EpochMs, "epochms", "milliseconds"),
        (HeaderUse.EpochUs, "epochus", "microseconds"),
        (HeaderUse.EpochNs, "epochns", "nanoseconds"),
    ];

    /// <summary>True for a date before 1990 or more than a year after the clock. Allocates nothing.</summary>
    public static bool IsImplausible(HeaderDate date, DateTimeOffset now) =>
        date.Year < FirstYear
            || new DateTime(date.Year, date.Month, date.Day, date.Hour, date.Minute, date.Second, DateTimeKind.Utc) > now.UtcDateTime.AddYears(1);

    /// <summary>Says why a date is implausible; null when it is plausible.</summary>
    /// <param name="date">A date.</param>
    /// <param name="now">This machine's clock.</param>
    public static string? Find(HeaderDate date, DateTimeOffset now) => !IsImplausible(date, now) ? null
        : date.Year < FirstYear ? string.Create(CultureInfo.InvariantCulture, $"before {FirstYear}")
        : string.Create(CultureInfo.InvariantCulture, $"more than a year after this machine's clock ({now.UtcDateTime:yyyy-MM-dd})");

    /// <summary>Names the rule that would make a date plausible; empty when no other unit does.</summary>
    /// <param name="value">The value that the date was read from.</param>
    /// <param name="use">How it was read.</param>
    /// <param name="now">This machine's clock.</param>
    public static string SuggestUnit(ReadOnlySpan<byte> value, HeaderUse use, DateTimeOffset now)
    {
        HeaderUse read = use & HeaderUse.AnyEpoch;
        foreach ((HeaderUse unit, string rule, string name) in Units)
        {
            if (read != HeaderUse.None && unit != read && HeaderDate.TryParseEpoch(value, unit, out HeaderDate other) && Find(other, now) is null)
            {
                return $". As {name} the value is {Show(other)}: use the rule {rule} instead of {Array.Find(Units, one => one.Unit == read).Rule}";
            }
        }

        return string.Empty;
    }

    /// <summary>The date in UTC, as ISO 8601.</summary>
    public static string Show(HeaderDate date) =>
        string.Create(CultureInfo.InvariantCulture, $"{date.Year:0000}-{date.Month:00}-{date.Day:00}T{date.Hour:00}:{date.Minute:00}:{date.Second:00}Z");
}
