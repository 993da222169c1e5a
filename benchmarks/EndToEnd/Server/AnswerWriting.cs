using System.Buffers.Text;

namespace Benchmarks.EndToEnd.Server;

/// <summary>Pieces of answers.</summary>
internal static class AnswerWriting
{
    // Space for the digits of any length; unused digits are leading zeros, which RFC 9110 allows.
    private const int LengthDigits = 8;

    public static void Write(this IAnswer answer, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(answer.Reserve(bytes.Length));
        answer.Advance(bytes.Length);
    }

    public static void WriteNumber(this IAnswer answer, long value)
    {
        Utf8Formatter.TryFormat(value, answer.Reserve(20), out int written);
        answer.Advance(written);
    }

    public static void WriteHex(this IAnswer answer, UInt128 value)
    {
        value.TryFormat(answer.Reserve(32), out int written, "x32");
        answer.Advance(written);
    }

    /// <summary>Begins a JSON answer whose length is filled in by <see cref="EndJson"/>.</summary>
    /// <returns>Where the body begins.</returns>
    public static int BeginJson(this IAnswer answer, ReadOnlySpan<byte> status)
    {
        answer.Write("HTTP/1.1 "u8);
        answer.Write(status);
        answer.Write("\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 00000000\r\n\r\n"u8);
        return answer.Written.Length;
    }

    public static void EndJson(this IAnswer answer, int bodyAt)
    {
        Span<byte> written = answer.Written;
        Utf8Formatter.TryFormat(written.Length - bodyAt, written[(bodyAt - 4 - LengthDigits)..], out _, new System.Buffers.StandardFormat('D', LengthDigits));
    }

    public static void WriteEmpty(this IAnswer answer, ReadOnlySpan<byte> status)
    {
        answer.Write("HTTP/1.1 "u8);
        answer.Write(status);
        answer.Write("\r\nContent-Length: 0\r\n\r\n"u8);
    }
}
