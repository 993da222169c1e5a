using System.Buffers.Text;
using System.Text;

namespace Benchmarks.Aws.Wire;

/// <summary>The parts of an HTTP/1.1 request's head that the servers need. Points into the head's bytes.</summary>
internal ref struct RequestHead
{
    /// <summary>PUT, POST and so on.</summary>
    public ReadOnlySpan<byte> Method { get; private set; }

    /// <summary>Path and query as received.</summary>
    public ReadOnlySpan<byte> Path { get; private set; }

    /// <summary>X-Amz-Target: the operation of AWS JSON; empty where there is none.</summary>
    public ReadOnlySpan<byte> Target { get; private set; }

    /// <summary>Bytes that follow the head; 0 without a length.</summary>
    public int BodyLength { get; private set; }

    /// <summary>Bytes of the object; differs from <see cref="BodyLength"/> for the SDK's own chunks.</summary>
    public int DecodedLength { get; private set; }

    /// <summary>The body is in aws-chunked encoding.</summary>
    public bool IsChunked { get; private set; }

    /// <summary>The client waits to be told to send the body.</summary>
    public bool ExpectsContinue { get; private set; }

    /// <summary>If-None-Match: *.</summary>
    public bool OnlyIfAbsent { get; private set; }

    private static ReadOnlySpan<byte> LineEnd => "\r\n"u8;

    /// <param name="head">From the request line to the blank line, which is left out.</param>
    /// <param name="parsed">The head, when true is returned.</param>
    /// <returns>False when this is not an HTTP/1.1 request, and for a body without a length, which S3 does not accept either.</returns>
    public static bool TryParse(ReadOnlySpan<byte> head, out RequestHead parsed)
    {
        parsed = default;
        int end = head.IndexOf(LineEnd);
        ReadOnlySpan<byte> line = end < 0 ? head : head[..end];
        int space = line.IndexOf((byte)' ');
        if (space <= 0 || !line.EndsWith(" HTTP/1.1"u8) || line.Length - space - 1 <= " HTTP/1.1"u8.Length)
        {
            return false;
        }

        parsed.Method = line[..space];
        parsed.Path = line[(space + 1)..^" HTTP/1.1"u8.Length];
        int decoded = -1;
        while (end >= 0)
        {
            head = head[(end + LineEnd.Length)..];
            end = head.IndexOf(LineEnd);
            line = end < 0 ? head : head[..end];
            int colon = line.IndexOf((byte)':');
            if (colon <= 0 || !parsed.TryRead(line[..colon], line[(colon + 1)..].Trim((byte)' '), ref decoded))
            {
                return false;
            }
        }

        parsed.DecodedLength = parsed.IsChunked ? decoded : parsed.BodyLength;
        return parsed.DecodedLength >= 0;
    }

    private bool TryRead(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, ref int decoded)
    {
        // The names differ in length, so one comparison distinguishes most of them.
        switch (name.Length)
        {
            case 6 when Ascii.EqualsIgnoreCase(name, "expect"u8):
                ExpectsContinue = true;
                return true;
            case 12 when Ascii.EqualsIgnoreCase(name, "x-amz-target"u8):
                Target = value;
                return true;
            case 13 when Ascii.EqualsIgnoreCase(name, "if-none-match"u8):
                OnlyIfAbsent = value.SequenceEqual("*"u8);
                return true;
            case 14 when Ascii.EqualsIgnoreCase(name, "content-length"u8):
                BodyLength = Number(value);
                return BodyLength >= 0;
            case 17 when Ascii.EqualsIgnoreCase(name, "transfer-encoding"u8):
                return false;
            case 20 when Ascii.EqualsIgnoreCase(name, "x-amz-content-sha256"u8):
                IsChunked = value.StartsWith("STREAMING-"u8);
                return true;
            case 28 when Ascii.EqualsIgnoreCase(name, "x-amz-decoded-content-length"u8):
                decoded = Number(value);
                return true;
            default:
                return true;
        }
    }

    private static int Number(ReadOnlySpan<byte> value) =>
        Utf8Parser.TryParse(value, out int number, out int consumed) && consumed == value.Length ? number : -1;
}
