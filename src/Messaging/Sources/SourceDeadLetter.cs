using System.Text;
using Messaging.DeadLetters;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Sources;

/// <summary>Makes the record of a dead letter for sources that have no dead-letter queue of their own.</summary>
internal static class SourceDeadLetter
{
    /// <param name="message">The message, still unsettled or owned by its source.</param>
    /// <param name="settlement">Why it is given up.</param>
    /// <param name="source">The source's name.</param>
    /// <param name="route">The route that gave it up.</param>
    /// <param name="now">When.</param>
    public static DeadLetter Create(ReceivedMessage message, in Settlement settlement, string source, string route, DateTimeOffset now)
    {
        Dictionary<string, string> attributes = new(StringComparer.Ordinal);
        foreach (KeyValuePair<string, string> attribute in message.Attributes)
        {
            attributes[attribute.Key] = attribute.Value;
        }

        return new DeadLetter
        {
            SourceId = Encoding.UTF8.GetString(message.SourceId.Span),
            Source = source,
            Route = route,
            Reason = settlement.Reason ?? "unspecified",
            Description = settlement.Description ?? string.Empty,
            ExceptionType = settlement.ExceptionType,
            Attempts = message.DeliveryCount,
            FirstSeen = message.EnqueuedAt ?? now,
            LastSeen = now,
            Attributes = attributes,
        };
    }
}
