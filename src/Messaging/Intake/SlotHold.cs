using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Intake;

/// <summary>The state of a message that is held while the sink fails; it begins with the first fault.</summary>
internal sealed class SlotHold
{
    private long _successesSeen;

    /// <summary>The sink's last fault.</summary>
    public Settlement Fault { get; private set; }

    /// <summary>Failed attempts, each with its retries in process.</summary>
    public int Failures { get; private set; }

    /// <summary>
    /// Failures before which the sink had stored another message: many of them mean that the message (such as its key) causes the fault,
    /// not an outage.
    /// </summary>
    public int OwnFailures { get; private set; }

    /// <summary>When the next attempt may begin while the breaker is closed, as a timestamp.</summary>
    public long RetryAt { get; set; }

    /// <summary>When the message must be abandoned, as a timestamp.</summary>
    public long EndsAt { get; set; }

    /// <summary>The minimum delay of its redelivery after it is abandoned.</summary>
    public TimeSpan ReturnDelay { get; set; }

    /// <summary>Counts a failed attempt.</summary>
    /// <param name="fault">The sink's fault.</param>
    /// <param name="successes">Successes of the sink so far, over all messages.</param>
    public void Failed(in Settlement fault, long successes)
    {
        if (Failures > 0 && successes > _successesSeen)
        {
            OwnFailures++;
        }

        Fault = fault;
        Failures++;
        _successesSeen = successes;
    }
}
