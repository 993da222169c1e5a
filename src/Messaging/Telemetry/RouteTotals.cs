namespace Messaging.Telemetry;

/// <summary>A route's message counts since start.</summary>
/// <param name="Received">Accepted from sources.</param>
/// <param name="Stored">Complete: the object is safe, duplicates included; in a route without a sink, the handler completed the message.</param>
/// <param name="Duplicates">Of those, the ones whose object was there before.</param>
/// <param name="Returned">Abandoned: their sources deliver them again.</param>
/// <param name="DeadLetters">Dead letters that were written.</param>
/// <param name="Lost">Messages that a stop could keep nowhere.</param>
public readonly record struct RouteTotals(long Received, long Stored, long Duplicates, long Returned, long DeadLetters, long Lost = 0);
