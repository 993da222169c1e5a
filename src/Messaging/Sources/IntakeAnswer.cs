namespace Messaging.Sources;

/// <summary>The answer to <see cref="IMessageIntake.TryReserve"/>.</summary>
public enum IntakeAnswer
{
    /// <summary>No answer: a defect of the intake. No slot is reserved.</summary>
    Undecided = 0,

    /// <summary>A slot is reserved.</summary>
    Reserved,

    /// <summary>Slots or bytes in flight are at their limit: retry shortly.</summary>
    Full,

    /// <summary>The breaker is open: retry after its open time.</summary>
    Paused,

    /// <summary>The worker is stopping.</summary>
    Stopping,
}
