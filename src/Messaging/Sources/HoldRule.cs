namespace Messaging.Sources;

/// <summary>
/// How long a source holds a message whose sink fails. At most half of the deliveries that the queue allows are spent on outages;
/// a message that has used them is held for as long as the queue's API allows.
/// </summary>
/// <param name="MaxHold">The configured time.</param>
/// <param name="LongestHold">The longest time that the queue's API allows; a shorter one than <paramref name="MaxHold"/> does not count.</param>
/// <param name="MaxDeliveries">Deliveries after which the queue moves a message to its dead letters; 0 when it never does.</param>
public readonly record struct HoldRule(TimeSpan MaxHold, TimeSpan LongestHold, int MaxDeliveries)
{
    /// <summary>The time since its receive for which a message may be held.</summary>
    /// <param name="deliveryCount">Its deliveries so far, this one included.</param>
    public TimeSpan LimitFor(int deliveryCount) =>
        MaxDeliveries > 0 && deliveryCount * 2L >= MaxDeliveries && LongestHold > MaxHold ? LongestHold : MaxHold;
}
