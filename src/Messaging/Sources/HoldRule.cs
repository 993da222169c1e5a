using Messaging.Configuration;

namespace Messaging.Sources;

/// <summary>
/// How long a source holds a message while the sink fails. Outages use at most half of the deliveries that the queue allows; after that, a
/// message is held for as long as the queue's API allows.
/// </summary>
/// <param name="MaxHold">The configured time.</param>
/// <param name="LongestHold">The longest time that the queue's API allows; ignored if it is shorter than <paramref name="MaxHold"/>.</param>
/// <param name="MaxDeliveries">Deliveries after which the queue dead-letters a message; 0 when it never does.</param>
public readonly record struct HoldRule(TimeSpan MaxHold, TimeSpan LongestHold, int MaxDeliveries)
{
    /// <summary>The time since its receive during which a message may be held.</summary>
    /// <param name="deliveryCount">Its deliveries so far, this one included.</param>
    public TimeSpan LimitFor(int deliveryCount) =>
        MaxDeliveries > 0 && deliveryCount * 2L >= MaxDeliveries && LongestHold > MaxHold ? LongestHold : MaxHold;
}

/// <summary>How long a source can hold a message in flight before it is redelivered.</summary>
/// <param name="Longest">The time since the receive.</param>
/// <param name="InSequence">Messages of one receive that are processed one after another within that time; 1 for unordered sources.</param>
public sealed record HoldLimit(SettingValue<TimeSpan> Longest, int InSequence = 1);
