namespace Messaging.Telemetry;

/// <summary>A route's message counts since the start.</summary>
/// <param name="Received">Messages accepted from the sources.</param>
/// <param name="Stored">Messages whose objects are stored, duplicates included; in a route without a sink, messages that the handler completed.</param>
/// <param name="Duplicates">Stored messages whose object existed before.</param>
/// <param name="Returned">Messages abandoned; their sources redeliver them.</param>
/// <param name="DeadLetters">Messages dead-lettered; for sources without a dead-letter queue, dead letters written.</param>
/// <param name="Lost">Messages that a shutdown could neither store nor write to the dead letters, and <paramref name="Dropped"/>.</param>
/// <param name="Dropped">Input that a source dropped because it was no whole message, and whose sender does not know: lines, datagrams. One piece may have held several messages.</param>
public readonly record struct RouteTotals(long Received, long Stored, long Duplicates, long Returned, long DeadLetters, long Lost = 0, long Dropped = 0);
