using System.Buffers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Recoverability;

/// <summary>
/// Makes a settlement from untrusted code safe for sources: reasons become names of folders, metric tags and responses, and delays become
/// timers and requests.
/// </summary>
internal static class CheckedSettlement
{
    /// <summary>The longest delay: what SQS allows.</summary>
    public static readonly TimeSpan LongestDelay = TimeSpan.FromHours(12);

    private const string NoReason = "unspecified";
    private const int LongestReason = 64;

    private static readonly SearchValues<char> CodeChars = SearchValues.Create("-0123456789abcdefghijklmnopqrstuvwxyz");

    /// <summary>The same settlement with a delay from zero to <see cref="LongestDelay"/> and a kebab-case reason.</summary>
    /// <param name="decided">A decided settlement.</param>
    public static Settlement Of(in Settlement decided)
    {
        if (decided.Kind == SettlementKind.Complete)
        {
            return decided;
        }

        if (decided.Kind == SettlementKind.DeadLetter)
        {
            return IsCode(decided.Reason) ? decided : decided with { Reason = CodeOf(decided.Reason) };
        }

        TimeSpan delay = Bounded(decided.Delay);
        return decided.Kind == SettlementKind.Abandon && delay == decided.Delay
            ? decided
            : decided with { Kind = SettlementKind.Abandon, Delay = delay };
    }

    /// <summary>The delay, from zero to <see cref="LongestDelay"/>.</summary>
    public static TimeSpan Bounded(TimeSpan delay) => TimeSpan.FromTicks(Math.Clamp(delay.Ticks, 0, LongestDelay.Ticks));

    private static bool IsCode(string? reason) => reason is { Length: > 0 and <= LongestReason } && !reason.AsSpan().ContainsAnyExcept(CodeChars);

    private static string CodeOf(string? reason)
    {
        string code = new([.. (reason ?? string.Empty).Take(LongestReason).Select(c => char.IsAsciiLetterOrDigit(c) ? char.ToLowerInvariant(c) : '-')]);
        code = code.Trim('-');
        return code.Length == 0 ? NoReason : code;
    }
}
