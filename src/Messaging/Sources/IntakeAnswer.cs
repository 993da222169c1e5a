namespace Messaging.Sources;

/// <summary>The answer to <see cref="IMessageIntake.TryReserve"/>.</summary>
public enum IntakeAnswer
{
    /// <summary>A slot is reserved.</summary>
    Reserved = 0,

    /// <summary>Concurrency or bytes in flight are at their limit: come back shortly.</summary>
    Full,

    /// <summary>The breaker is open or the sink refuses: come back after its time.</summary>
    Paused,

    /// <summary>The worker is stopping.</summary>
    Stopping,
}
