using System.Buffers.Text;
using System.Text;

namespace Benchmarks.Put;

/// <summary>What the server needs of a request's head.</summary>
/// <param name="BodyLength">Bytes that follow the head.</param>
/// <param name="DecodedLength">Bytes of the object; other than <paramref name="BodyLength"/> in the SDK's own chunks.</param>
/// <param name="IsChunked">The body is in aws-chunked encoding.</param>
/// <param name="ExpectsContinue">The client waits to be told to send the body.</param>
internal readonly record struct PutHead(int BodyLength, int DecodedLength, bool IsChunked, bool ExpectsContinue)
{
    private static ReadOnlySpan<byte> LineEnd => "\r\n"u8;

    /// <param name="head">From the request line to the blank line, which is left out.</param>
    /// <param name="parsed">The head, when true is returned.</param>
    /// <returns>False for everything but a PUT of an object with a length.</returns>
    public static bool TryParse(ReadOnlySpan<byte> head, out PutHead parsed)
    {
        parsed = default;
        int end = head.IndexOf(LineEnd);
        ReadOnlySpan<byte> line = end < 0 ? head : head[..end];
        if (!line.StartsWith("PUT /"u8) || !line.EndsWith(" HTTP/1.1"u8) || line[5..^9].IndexOf((byte)'/') <= 0)
        {
            return false;
        }

        int length = -1;
        int decoded = -1;
        bool isChunked = false;
        bool expectsContinue = false;
        while (end >= 0)
        {
            head = head[(end + LineEnd.Length)..];
            end = head.IndexOf(LineEnd);
            line = end < 0 ? head : head[..end];
            int colon = line.IndexOf((byte)':');
            if (colon <= 0)
            {
                return false;
            }

            ReadOnlySpan<byte> value = line[(colon + 1)..].Trim((byte)' ');

            // The names differ in length, so that most are told apart by one comparison.
            switch (colon)
            {
                case 14 when Is(line, "content-length"u8):
                    length = Number(value);
                    break;
                case 28 when Is(line, "x-amz-decoded-content-length"u8):
                    decoded = Number(value);
                    break;
                case 20 when Is(line, "x-amz-content-sha256"u8):
                    isChunked = value.StartsWith("STREAMING-"u8);
                    break;
                case 6 when Is(line, "expect"u8):
                    expectsContinue = true;
                    break;
                case 17 when Is(line, "transfer-encoding"u8):
                    return false;
            }
        }

        parsed = new PutHead(length, isChunked ? decoded : length, isChunked, expectsContinue);
        return length >= 0 && parsed.DecodedLength >= 0;
    }

    private static bool Is(ReadOnlySpan<byte> line, ReadOnlySpan<byte> name) => Ascii.EqualsIgnoreCase(line[..name.Length], name);

    private static int Number(ReadOnlySpan<byte> value) =>
        Utf8Parser.TryParse(value, out int number, out int consumed) && consumed == value.Length ? number : -1;
}
