namespace Messaging.Telemetry;

/// <summary>Input that the sources of a route dropped since the start because it was no whole message.</summary>
/// <param name="Reasons">Pieces by reason, such as <c>unterminated</c>; one piece may have held several messages.</param>
/// <param name="Advice">The probable cause of the last one, and what to do.</param>
public sealed record DroppedInput(IReadOnlyDictionary<string, long> Reasons, string Advice)
{
    /// <summary>For reports: <c>17 unterminated, 3 too-long</c>.</summary>
    public override string ToString() => string.Join(", ", Reasons.OrderByDescending(reason => reason.Value).Select(reason => $"{reason.Value} {reason.Key}"));
}
