namespace Messaging.Recoverability;

/// <summary>The circuit breaker's state; the numbers are what the metric shows.</summary>
public enum BreakerState
{
    /// <summary>Receiving is allowed.</summary>
    Closed = 0,

    /// <summary>One message at a time is let through as a probe.</summary>
    HalfOpen = 1,

    /// <summary>Receiving is paused.</summary>
    Open = 2,
}
