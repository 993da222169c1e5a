using System.Collections.Immutable;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>
/// Counts, per property of a route's key, the messages in which it is missing and the values that do not fit their rule: such messages may share a
/// prefix with others. It logs the first of each.
/// Threads: any. 0 bytes allocated, except for what is logged.
/// </summary>
internal sealed partial class KeyPartMonitor
{
    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> Faults = Meter.CreateCounter<long>(
        "worker.keys.part_faults", "{part}",
        "Properties of object keys that were missing or did not fit their rule, by property and reason (missing, invalid)");

    private readonly string _route;
    private readonly ImmutableArray<HeaderProperty> _properties;
    private readonly MissingPropertyRule _missingRule;
    private readonly InvalidValueRule _invalidRule;
    private readonly ILogger _logger;
    private readonly string[] _names;
    private readonly long[] _missing;
    private readonly long[] _invalid;

    /// <param name="route">The route's name.</param>
    /// <param name="properties">The template's properties, in its order.</param>
    /// <param name="options">The rules for such messages.</param>
    /// <param name="logger">Receives the first of each.</param>
    public KeyPartMonitor(string route, ImmutableArray<HeaderProperty> properties, ArchiveOptions options, ILogger logger)
    {
        _route = route;
        _properties = properties;
        _missingRule = options.MissingProperty;
        _invalidRule = options.InvalidValue;
        _logger = logger;
        _names = [.. properties.Select(property => property.LogText)];
        _missing = new long[properties.Length];
        _invalid = new long[properties.Length];
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

    /// <summary>The counts since the start in one line; null when there are none.</summary>
    public string? Describe()
    {
        List<string> counts = [];
        for (int slot = 0; slot < _names.Length; slot++)
        {
            Add(slot, Volatile.Read(ref _missing[slot]), "missing");
            Add(slot, Volatile.Read(ref _invalid[slot]), "invalid");
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
}
