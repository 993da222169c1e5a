namespace Messaging.Sources;

/// <summary>The answer to <see cref="IMessageIntake.TryReserve"/>.</summary>
public enum IntakeAnswer
{
    /// <summary>A slot is reserved.</summary>
    Reserved = 0,

    /// <summary>Slots or bytes in flight are at their limit: retry shortly.</summary>
    Full,

    /// <summary>The breaker is open: retry after its open time.</summary>
    Paused,

    /// <summary>The worker is stopping.</summary>
    Stopping,
}
