namespace Pipeline.Settlements;

/// <summary>What becomes of a message at its source ("settle" is the AMQP 1.0 word).</summary>
public enum SettlementKind
{
    /// <summary>Nobody decided: the message is handed back, never acknowledged.</summary>
    Undecided = 0,

    /// <summary>The sink has it: the source may forget it.</summary>
    Complete,

    /// <summary>Back to the source, to be delivered again after <see cref="Settlement.Delay"/>.</summary>
    Abandon,

    /// <summary>It can never succeed: out of the way, body unchanged, with a reason.</summary>
    DeadLetter,
}
