namespace Messaging.Tests.Intake;

/// <summary>The ends of a chain that the intake distinguishes.</summary>
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
