using System.Buffers;
using System.Text;
using Quayside.Messaging.Sources.Lines;
using Quayside.Pipeline.Buffers;

namespace Proof.Fuzz.Targets;

/// <summary>Lines of TCP and NDJSON under every split, beside <see cref="string.Split(char, StringSplitOptions)"/>.</summary>
internal sealed class LinesTarget : FuzzTarget
{
    private const int MaxLineBytes = 60;

    private readonly BufferPool _buffers = new();

    public override IReadOnlyList<byte[]> Corpus { get; } =
        [.. Texts.Utf8(
            "one\ntwo\r\n\n \t\r\nthree", "", "\n", "\r\n\r\n", "a\rb\r\r\nc", new string('x', 61) + "\nshort\n" + new string('y', 60) + "\r\nend",
            "{\"a\":1}\n{\"b\":2}\n")];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
        [.. Texts.Utf8("\n", "\r", "\r\n", "\n\n", " ", "\t", "\u0000", "x", new string('z', 59), new string('z', 60), new string('z', 61), "é")];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        uint hash = Hash(input.Span);
        string expected = Expect(Encoding.Latin1.GetString(input.Span));
        FuzzException.ThrowIfDifferent(Read(input, int.MaxValue, inSequence: false), expected, "lines");
        FuzzException.ThrowIfDifferent(Read(input, 1, inSequence: false), expected, "lines, byte by byte");
        FuzzException.ThrowIfDifferent(Read(input, 1 + (int)(hash % 71), inSequence: (hash & 1) == 0), expected, "lines in pieces");
        FuzzException.ThrowIfDifferent(_buffers.Outstanding, 0, "buffers that were not returned");
        return HashCode.Combine(
            Scale(expected.Length), expected.Contains("Blank", StringComparison.Ordinal), expected.Contains("TooLong", StringComparison.Ordinal),
            Scale(expected.Count(character => character == '\n')));
    }

    private string Read(ReadOnlyMemory<byte> input, int piece, bool inSequence)
    {
        using LineSplitter splitter = new(_buffers, MaxLineBytes);
        StringBuilder seen = new();
        for (int at = 0; at < input.Length;)
        {
            ReadOnlyMemory<byte> next = input[at..(int)Math.Min(input.Length, (long)at + piece)];
            at += next.Length;
            if (inSequence)
            {
                Piece first = new(next[..(next.Length / 2)]);
                Piece second = first.Append(next[(next.Length / 2)..]);
                ReadOnlySequence<byte> data = new(first, 0, second, second.Memory.Length);
                for (LineKind kind = splitter.Next(ref data, out ReadOnlySpan<byte> line); kind != LineKind.None; kind = splitter.Next(ref data, out line))
                {
                    Add(seen, kind, line);
                }
            }
            else
            {
                ReadOnlySpan<byte> data = next.Span;
                for (LineKind kind = splitter.Next(ref data, out ReadOnlySpan<byte> line); kind != LineKind.None; kind = splitter.Next(ref data, out line))
                {
                    Add(seen, kind, line);
                }
            }
        }

        LineKind last = splitter.End(out ReadOnlySpan<byte> rest);
        if (last != LineKind.None)
        {
            Add(seen, last, rest);
        }

        return seen.Append(splitter.LineNumber).ToString();
    }

    private static string Expect(string text)
    {
        StringBuilder seen = new();
        List<string> lines = [.. text.Split('\n')];
        if (lines[^1].Length == 0)
        {
            lines.RemoveAt(lines.Count - 1);
        }

        foreach (string ended in lines)
        {
            string line = ended.EndsWith('\r') ? ended[..^1] : ended;
            LineKind kind = line.Length > MaxLineBytes ? LineKind.TooLong : line.Trim(' ', '\t', '\r').Length == 0 ? LineKind.Blank : LineKind.Line;
            Add(seen, kind, Encoding.Latin1.GetBytes(line));
        }

        return seen.Append(lines.Count).ToString();
    }

    private static void Add(StringBuilder seen, LineKind kind, ReadOnlySpan<byte> line) =>
        seen.Append(kind).Append(' ').Append(kind == LineKind.Line ? Encoding.Latin1.GetString(line) : string.Empty).Append('\n');

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public Piece(ReadOnlyMemory<byte> memory) => Memory = memory;

        public Piece Append(ReadOnlyMemory<byte> memory)
        {
            Piece next = new(memory) { RunningIndex = RunningIndex + Memory.Length };
            Next = next;
            return next;
        }
    }
}
