using System.Globalization;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>The worker's answers on the wire: <c>ok 7\n</c> or <c>error 7 too-long\n</c>, ASCII.</summary>
internal static class LineAnswers
{
    /// <summary>The line exceeds the limit; sent again, it fails again.</summary>
    public const string TooLong = "too-long";

    /// <summary>The stream ended within the line.</summary>
    public const string Unterminated = "unterminated";

    /// <summary>What should be a length is none: nothing after it can be read.</summary>
    public const string BadFrame = "bad-frame";

    /// <summary>The worker stops, and the line is not stored: send it again.</summary>
    public const string Stopping = "stopping";

    // The reason of a dead letter is a short code of the worker.
    private const int LongestReason = 128;

    // "error ", a number of 20 digits, a space, the reason, LF.
    private const int LongestAnswer = 28 + LongestReason;

    /// <summary>The answer with line number 0: the worker accepts no more connections.</summary>
    public static ReadOnlySpan<byte> TooManyConnections => "error 0 too-many-connections\n"u8;

    /// <summary>Appends <c>ok {line}</c>.</summary>
    public static void Ok(PooledBuffer answers, long line) => Append(answers, "ok "u8, line, reason: null);

    /// <summary>Appends <c>error {line} {reason}</c>; a space or control character in the reason becomes a dash.</summary>
    public static void Error(PooledBuffer answers, long line, string reason) => Append(answers, "error "u8, line, reason);

    private static void Append(PooledBuffer answers, ReadOnlySpan<byte> word, long line, string? reason)
    {
        Span<byte> room = answers.GetSpan(LongestAnswer);
        word.CopyTo(room);
        int length = word.Length;
        line.TryFormat(room[length..], out int digits, default, CultureInfo.InvariantCulture);
        length += digits;
        if (reason is not null)
        {
            room[length++] = (byte)' ';
            foreach (char c in reason.AsSpan(0, Math.Min(reason.Length, LongestReason)))
            {
                room[length++] = c is > ' ' and <= '~' ? (byte)c : (byte)'-';
            }
        }

        room[length++] = (byte)'\n';
        answers.Advance(length);
    }
}
