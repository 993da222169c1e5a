namespace Pipeline.Settlements;

/// <summary>What failed outside the message.</summary>
public enum SettlementFault : byte
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Something that may work later: a throttled or unreachable store. See <see cref="Settlement.Transient"/>.</summary>
    Transient,

    /// <summary>The other side refuses the worker itself. See <see cref="Settlement.Refused"/>.</summary>
    Refused,
}
