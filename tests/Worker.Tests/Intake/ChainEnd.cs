namespace Worker.Tests.Intake;

/// <summary>How a chain ends, as far as the intake is concerned.</summary>
public enum ChainEnd
{
    Complete,
    DeadLetter,
    Abandon,
    Undecided,
    Poison,
    Transient,
    TransientWithRetryAfter,
    Refused,
    Unknown,
    OwnCancellation,
}
