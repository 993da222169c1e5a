using System.Globalization;
using System.Text;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Messaging.Sources.Lines;
using Quayside.Pipeline.Buffers;

namespace Proof.Fuzz.Targets;

/// <summary>The messages of a TCP connection in one framing under every split, beside a twin that has all bytes in one piece.</summary>
internal sealed class FramesTarget(Framing framing) : FuzzTarget
{
    private const int MaxBytes = 60;

    private readonly BufferPool _buffers = new();

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "one\r\ntwo\r\n\r\n \r\nthree", "3 one\n3 two10 1234567890", "", "\n", "0 ", "61 " + new string('x', 61) + "2 {}", "268435456 x", "12",
            new string('x', 61) + "\r\n"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
        [.. Texts.Utf8("\r\n", "\n", "\r", "\0", "3 ", "60 ", "61 ", "268435456 ", "268435457 ", "9999999999 ", "0", " ", new string('z', 60))];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        uint hash = Hash(input.Span);
        string expected = Expect(input.Span);
        FuzzException.ThrowIfDifferent(Read(input.Span, int.MaxValue), expected, "messages");
        FuzzException.ThrowIfDifferent(Read(input.Span, 1), expected, "messages, byte by byte");
        FuzzException.ThrowIfDifferent(Read(input.Span, 1 + (int)(hash % 71)), expected, "messages in pieces");
        FuzzException.ThrowIfDifferent(_buffers.Outstanding, 0, "buffers that were not returned");
        return HashCode.Combine(
            Scale(expected.Length), expected.Contains("TooLong", StringComparison.Ordinal), expected.Contains("Broken", StringComparison.Ordinal),
            Scale(expected.Count(character => character == '\n')));
    }

    private string Read(ReadOnlySpan<byte> input, int piece)
    {
        using MessageSplitter splitter = new(framing, MaxBytes, _buffers);
        StringBuilder seen = new();
        while (!input.IsEmpty && !splitter.IsBroken)
        {
            ReadOnlySpan<byte> next = input[..Math.Min(input.Length, piece)];
            input = input[next.Length..];
            while (!next.IsEmpty && !splitter.IsBroken)
            {
                LineKind kind = splitter.Next(ref next, out ReadOnlySpan<byte> message);
                if (kind != LineKind.None)
                {
                    Add(seen, kind, message);
                }
                else if (splitter.IsBroken)
                {
                    seen.Append("Broken ").Append(Encoding.Latin1.GetString(message)).Append('\n');
                }
            }
        }

        if (splitter.HasPartial)
        {
            Add(seen, splitter.End(out ReadOnlySpan<byte> rest), rest);
        }

        return seen.Append(splitter.Number).ToString();
    }

    private string Expect(ReadOnlySpan<byte> input)
    {
        StringBuilder seen = new();
        int number = framing == Framing.CrLf ? ExpectLines(input, seen) : ExpectLengths(input, seen);
        return seen.Append(number).ToString();
    }

    private static int ExpectLines(ReadOnlySpan<byte> input, StringBuilder seen)
    {
        List<string> lines = [.. Encoding.Latin1.GetString(input).Split("\r\n")];
        bool isEnded = lines[^1].Length == 0;
        if (isEnded)
        {
            lines.RemoveAt(lines.Count - 1);
        }

        for (int i = 0; i < lines.Count; i++)
        {
            // A CR at the end of the last line may be one of a line end.
            string line = i == lines.Count - 1 && !isEnded && lines[i].EndsWith('\r') ? lines[i][..^1] : lines[i];
            LineKind kind = line.Length > MaxBytes ? LineKind.TooLong : line.Trim(' ', '\t', '\r', '\n').Length == 0 ? LineKind.Blank : LineKind.Line;
            Add(seen, kind, Encoding.Latin1.GetBytes(line[..Math.Min(line.Length, MaxBytes)]));
        }

        return lines.Count;
    }

    private static int ExpectLengths(ReadOnlySpan<byte> input, StringBuilder seen)
    {
        int number = 0;
        while (true)
        {
            input = input.TrimStart("\r\n"u8);
            if (input.IsEmpty)
            {
                return number;
            }

            number++;
            int prefix = PrefixOf(input, out long length);
            if (prefix < 0)
            {
                seen.Append("Broken ").Append(Encoding.Latin1.GetString(input[..-prefix])).Append('\n');
                return number;
            }

            ReadOnlySpan<byte> body = input[Math.Min(prefix, input.Length)..];
            if (prefix > input.Length || body.Length < length)
            {
                bool isTooLong = prefix <= input.Length && length > MaxBytes;
                ReadOnlySpan<byte> kept = prefix > input.Length || body.IsEmpty ? input : body;
                Add(seen, isTooLong ? LineKind.TooLong : LineKind.Line, kept[..Math.Min(kept.Length, MaxBytes)]);
                return number;
            }

            Add(seen, length > MaxBytes ? LineKind.TooLong : length == 0 ? LineKind.Blank : LineKind.Line, body[..(int)Math.Min(length, MaxBytes)]);
            input = body[(int)length..];
        }
    }

    /// <returns>The length of the prefix, longer than the input when it is not whole; negative with the bytes that break it.</returns>
    private static int PrefixOf(ReadOnlySpan<byte> input, out long length)
    {
        length = 0;
        int size = Array.FindIndex(input.ToArray(), value => value is < (byte)'0' or > (byte)'9') + 1;
        int digits = size == 0 ? input.Length : size - 1;
        if (input[0] == '0')
        {
            return -1;
        }

        if (digits > 9)
        {
            return -10;
        }

        length = digits == 0 ? 0 : long.Parse(Encoding.Latin1.GetString(input[..digits]), CultureInfo.InvariantCulture);
        return size == 0 ? input.Length + 1 : digits == 0 || input[digits] != ' ' || length > LengthSplitter.LongestSkipped ? -size : size;
    }

    private static void Add(StringBuilder seen, LineKind kind, ReadOnlySpan<byte> message) =>
        seen.Append(kind).Append(' ').Append(kind == LineKind.Blank ? string.Empty : Encoding.Latin1.GetString(message)).Append('\n');
}
