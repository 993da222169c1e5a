using System.Buffers;
using System.Text;
using Quayside.Messaging.Sources.Lines;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Sources.Lines;

public sealed class LineSplitterTests
{
    private const int Limit = 8;

    public static TheoryData<string> Inputs =>
    [
        "",
        "\n",
        "\r\n",
        "a",
        "a\n",
        "a\r\n",
        "a\nb",
        "a\r\nb\r\n",
        "a\n\n\nb\n",
        " \t \na\n  \r\n",
        " a \n",
        "\r\r\na\rb\r\r\n",
        "\n\na",
        "12345678\n",
        "12345678\r\n",
        "12345678",
        "12345678\r",
        "123456789\n",
        "123456789",
        "12345678\rx\n",
        "123456789\r\nok\n",
        "1234567890123456789012345678901234567890\nok\n1234567890",
        "         \nok\n",
        "\u00e4\u20ac\n\ud83d\ude00\n",
        "\0\n\u0001\r\n",
    ];

    [Theory]
    [InlineData("abc\n", 3)]
    [InlineData("abc\r\n", 4)]
    [InlineData("123456789012\n", 12)]
    [InlineData("123456789012345\nabc\n", 3)]
    [InlineData("\n", 0)]
    [InlineData("abc", 3)]
    [InlineData("abc\n12345678901234567", 17)]
    public void LineBytes_SplitAtEveryByte_CountsTheDiscardedOnesToo(string text, int expected)
    {
        byte[] input = Encoding.UTF8.GetBytes(text);
        for (int split = 0; split <= input.Length; split++)
        {
            using LineSplitter splitter = new(BufferPool.Shared, Limit);
            foreach (byte[] piece in (byte[][])[input[..split], input[split..]])
            {
                ReadOnlySpan<byte> rest = piece;
                while (!rest.IsEmpty)
                {
                    splitter.Next(ref rest, out _);
                }
            }

            splitter.End(out _);
            splitter.LineBytes.ShouldBe(expected, $"split at {split}");
        }
    }

    [Theory]
    [MemberData(nameof(Inputs))]
    public void Next_SplitAtEveryByte_FindsTheSameLines(string text)
    {
        byte[] input = Encoding.UTF8.GetBytes(text);
        List<string> expected = Reference(input);

        Split([input]).ShouldBe(expected);
        Split([.. input.Select(value => new[] { value })]).ShouldBe(expected);
        for (int first = 0; first <= input.Length; first++)
        {
            for (int second = first; second <= input.Length; second++)
            {
                byte[][] pieces = [input[..first], input[first..second], input[second..]];

                Split(pieces).ShouldBe(expected, $"pieces end at {first} and {second}");
                Split(pieces, asOneSequence: true).ShouldBe(expected, $"segments end at {first} and {second}");
            }
        }
    }

    [Fact]
    public void Next_EndlessLine_HoldsNoMoreThanTheLimit()
    {
        CountingPool arrays = new();
        using LineSplitter splitter = new(new BufferPool(arrays), 64 << 10);
        byte[] piece = new byte[10_000];
        piece.AsSpan().Fill((byte)'x');
        for (long sent = 0; sent < 1L << 30; sent += piece.Length)
        {
            ReadOnlySpan<byte> data = piece;
            splitter.Next(ref data, out _).ShouldBe(LineKind.None);
            data.Length.ShouldBe(0);
        }

        splitter.Kept.ShouldBe(0);
        arrays.MaxRented.ShouldBeLessThan(256 << 10, "The carried part of a line is bounded, whatever the line's length.");
        ReadOnlySpan<byte> end = "\nnext\n"u8;
        splitter.Next(ref end, out _).ShouldBe(LineKind.TooLong);
        splitter.Next(ref end, out ReadOnlySpan<byte> next).ShouldBe(LineKind.Line);
        next.SequenceEqual("next"u8).ShouldBeTrue();
        splitter.LineNumber.ShouldBe(2);
    }

    [Fact]
    public void Dispose_WithinALine_ReturnsTheBuffer()
    {
        BufferPool buffers = new(new PoisoningArrayPool());
        LineSplitter splitter = new(buffers, Limit);
        ReadOnlySpan<byte> data = "part"u8;
        splitter.Next(ref data, out _);
        buffers.Outstanding.ShouldBe(1);

        splitter.Dispose();

        buffers.Outstanding.ShouldBe(0);
    }

    private static List<string> Split(byte[][] pieces, bool asOneSequence = false)
    {
        BufferPool buffers = new(new PoisoningArrayPool());
        List<string> found = [];
        using (LineSplitter splitter = new(buffers, Limit))
        {
            if (asOneSequence && pieces.Length > 0)
            {
                ReadOnlySequence<byte> data = Sequence(pieces);
                while (!data.IsEmpty)
                {
                    Add(splitter.Next(ref data, out ReadOnlySpan<byte> line), line, splitter.LineNumber);
                }
            }

            foreach (byte[] piece in asOneSequence ? [] : pieces)
            {
                ReadOnlySpan<byte> data = piece;
                while (!data.IsEmpty)
                {
                    Add(splitter.Next(ref data, out ReadOnlySpan<byte> line), line, splitter.LineNumber);
                }
            }

            splitter.Kept.ShouldBeLessThanOrEqualTo(Limit + 1);
            Add(splitter.End(out ReadOnlySpan<byte> last), last, splitter.LineNumber);
            splitter.End(out _).ShouldBe(LineKind.None, "After the end no line is left.");
            splitter.Kept.ShouldBe(0);
        }

        buffers.Outstanding.ShouldBe(0);
        return found;

        void Add(LineKind kind, ReadOnlySpan<byte> line, long number)
        {
            if (kind != LineKind.None)
            {
                found.Add($"{number} {kind} {Convert.ToHexString(line)}");
            }
        }
    }

    // Empty segments too, as a pipe may have them.
    private static ReadOnlySequence<byte> Sequence(byte[][] pieces)
    {
        Segment first = new(pieces[0], 0);
        Segment last = pieces.Skip(1).Aggregate(first, (current, piece) => current.Append(piece));
        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    // Uses string functions only, none of the splitter's code.
    private static List<string> Reference(byte[] input)
    {
        string text = Encoding.Latin1.GetString(input);
        List<string> lines = [.. text.Split('\n')];
        if (lines[^1].Length == 0)
        {
            lines.RemoveAt(lines.Count - 1);
        }

        return [.. lines.Select((line, index) =>
        {
            string content = line.EndsWith('\r') ? line[..^1] : line;
            string kind = content.Length > Limit ? "TooLong" : content.Trim(' ', '\t', '\r').Length == 0 ? "Blank" : "Line";
            return $"{index + 1} {kind} {(kind == "TooLong" ? string.Empty : Convert.ToHexString(Encoding.Latin1.GetBytes(content)))}";
        })];
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(byte[] bytes, long start)
        {
            Memory = bytes;
            RunningIndex = start;
        }

        public Segment Append(byte[] bytes)
        {
            Segment next = new(bytes, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}
