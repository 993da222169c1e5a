using System.Text.Json.Serialization;

namespace Quayside.Messaging.Telemetry;

/// <summary>A route's message counts since the start.</summary>
/// <param name="Received">Messages accepted from the sources.</param>
/// <param name="Stored">Messages whose objects are stored, duplicates included; in a route without a sink, messages that the handler completed.</param>
/// <param name="Duplicates">Stored messages whose object existed before.</param>
/// <param name="Returned">Messages abandoned; their sources redeliver them.</param>
/// <param name="DeadLetters">Messages dead-lettered; for sources without a dead-letter queue, dead letters written. <paramref name="Elements"/>
/// included.</param>
/// <param name="Lost">Messages that a shutdown could neither store nor write to the dead letters, and <paramref name="Dropped"/>.</param>
/// <param name="Dropped">Input that a source dropped because it was no whole message, and whose sender does not know: lines, datagrams. One piece may have held
/// several messages.</param>
/// <param name="Elements">Dead letters of one of several messages in an envelope. The message around it counts by its own outcome.</param>
internal readonly record struct RouteTotals(
    long Received, long Stored, long Duplicates, long Returned, long DeadLetters, long Lost = 0, long Dropped = 0, long Elements = 0);

/// <summary>A route for <see cref="ProgressReport"/>.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Totals">Its totals since the start.</param>
/// <param name="InFlight">Messages in flight.</param>
/// <param name="DoneWord">The word for messages that <see cref="RouteTotals.Stored"/> counts.</param>
internal sealed record ReportedRoute(string Name, Func<RouteTotals> Totals, Func<int> InFlight, string DoneWord = "stored");

/// <summary>Input that the sources of a route dropped since the start because it was no whole message.</summary>
/// <param name="Reasons">Pieces by reason, such as <c>unterminated</c>; one piece may have held several messages.</param>
/// <param name="Advice">The probable cause of the last one, and what to do.</param>
internal sealed record DroppedInput(IReadOnlyDictionary<string, long> Reasons, string Advice)
{
    /// <summary>The id of the log event about the reason with the most pieces; in the API the problem has it.</summary>
    [JsonIgnore]
    public int Event { get; init; }

    /// <summary>The name of the source that dropped most, likewise.</summary>
    [JsonIgnore]
    public string Source { get; init; } = string.Empty;

    /// <summary>For reports: <c>17 unterminated, 3 too-long</c>.</summary>
    public override string ToString() => string.Join(", ", Reasons.OrderByDescending(reason => reason.Value).Select(reason => $"{reason.Value} {reason.Key}"));
}
