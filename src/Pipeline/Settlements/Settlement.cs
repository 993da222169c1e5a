namespace Pipeline.Settlements;

/// <summary>The decision about one message. A value: expected failures travel as settlements, not as exceptions.</summary>
/// <param name="Kind">What is to happen.</param>
/// <param name="Delay">Abandon only: how long the source should wait before it delivers again; zero = at once.</param>
/// <param name="Reason">Dead letter only: a stable kebab-case code such as <c>malformed-json</c>.</param>
/// <param name="Description">Dead letter and abandon: what happened, for people; never a body or a credential.</param>
/// <param name="ExceptionType">The full name of the exception's type where one was thrown; null otherwise.</param>
public readonly record struct Settlement(
    SettlementKind Kind,
    TimeSpan Delay = default,
    string? Reason = null,
    string? Description = null,
    string? ExceptionType = null)
{
    /// <summary>The sink has the message.</summary>
    public static Settlement Complete => new(SettlementKind.Complete);

    /// <summary>True once a part has decided.</summary>
    public bool IsDecided => Kind != SettlementKind.Undecided;

    /// <summary>Hands the message back; it comes again after <paramref name="delay"/>.</summary>
    public static Settlement Abandon(TimeSpan delay, string? description = null, string? exceptionType = null) =>
        new(SettlementKind.Abandon, delay, Reason: null, description, exceptionType);

    /// <summary>Sets the message aside for good, under a reason code.</summary>
    public static Settlement DeadLetter(string reason, string description, string? exceptionType = null) =>
        new(SettlementKind.DeadLetter, default, reason, description, exceptionType);

    /// <summary>
    /// The settlement of one physical message that was forked into several logical ones: the worst wins, so that nothing is
    /// acknowledged while a part of it is not safe. Undecided beats Abandon beats DeadLetter beats Complete.
    /// </summary>
    public static Settlement Combine(Settlement first, Settlement second) => Rank(second) > Rank(first) ? second : first;

    private static int Rank(Settlement settlement) => settlement.Kind switch
    {
        SettlementKind.Complete => 0,
        SettlementKind.DeadLetter => 1,
        SettlementKind.Abandon => 2,
        _ => 3,
    };
}
