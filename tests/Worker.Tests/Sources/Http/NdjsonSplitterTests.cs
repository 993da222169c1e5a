using System.Buffers;
using System.Text;
using Pipeline.Buffers;
using Worker.Sources.Http;
using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.Http;

public sealed class NdjsonSplitterTests
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

                Split(pieces).ShouldBe(expected, $"fed in pieces ending at {first} and {second}");
                Split(pieces, asOneSequence: true).ShouldBe(expected, $"segments ending at {first} and {second}");
            }
        }
    }

    [Fact]
    public void Next_RandomInputs_FindTheSameLinesAsTheReference()
    {
        Random random = new(20_260_401);
        byte[] alphabet = "ab\r\n \t\0x"u8.ToArray();
        for (int round = 0; round < 5_000; round++)
        {
            byte[] input = random.GetItems(alphabet, random.Next(60));
            List<byte[]> pieces = [];
            for (int taken = 0; taken < input.Length;)
            {
                int length = random.Next(1, 12);
                pieces.Add(input[taken..Math.Min(taken + length, input.Length)]);
                taken += length;
            }

            Split([.. pieces], asOneSequence: round % 2 == 0).ShouldBe(Reference(input), Convert.ToHexString(input));
        }
    }

    [Fact]
    public void Next_EndlessLine_HoldsNothing()
    {
        BufferPool buffers = new(new PoisoningArrayPool());
        using NdjsonSplitter splitter = new(buffers, Limit);
        for (int i = 0; i < 1_000; i++)
        {
            ReadOnlySequence<byte> data = new(new byte[1_000]);
            splitter.Next(ref data, isLast: false, out _).ShouldBe(NdjsonLine.None);
            splitter.Buffered.ShouldBe(0);
        }

        buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public void Dispose_LineBegun_GivesItsBufferBack()
    {
        BufferPool buffers = new(new PoisoningArrayPool());
        NdjsonSplitter splitter = new(buffers, Limit);
        ReadOnlySequence<byte> data = new("half"u8.ToArray());
        splitter.Next(ref data, isLast: false, out _);
        buffers.Outstanding.ShouldBe(1);

        splitter.Dispose();

        buffers.Outstanding.ShouldBe(0);
    }

    /// <summary>The plain way: lines by number, too large ones marked, blank ones left out.</summary>
    private static List<string> Reference(byte[] input)
    {
        string[] lines = Encoding.Latin1.GetString(input).Split('\n');
        List<string> found = [];
        for (int i = 0; i < lines.Length; i++)
        {
            string line = lines[i].EndsWith('\r') ? lines[i][..^1] : lines[i];
            if (line.Length > Limit)
            {
                found.Add($"{i + 1}: too large");
            }
            else if (line.Trim(' ', '\t', '\r').Length > 0)
            {
                found.Add($"{i + 1}: {line}");
            }
        }

        return found;
    }

    private static List<string> Split(byte[][] pieces, bool asOneSequence = false)
    {
        BufferPool buffers = new(new PoisoningArrayPool());
        List<string> found = [];
        using (NdjsonSplitter splitter = new(buffers, Limit))
        {
            ReadOnlySequence<byte>[] reads = asOneSequence && pieces.Length > 0 ? [Sequence(pieces)] : [.. pieces.Select(piece => new ReadOnlySequence<byte>(piece)), ReadOnlySequence<byte>.Empty];
            for (int i = 0; i < reads.Length; i++)
            {
                ReadOnlySequence<byte> data = reads[i];
                bool isLast = i == reads.Length - 1;
                NdjsonLine line;
                while ((line = splitter.Next(ref data, isLast, out PooledBuffer? bytes)) != NdjsonLine.None)
                {
                    found.Add($"{splitter.LineNumber}: {(bytes is null ? "too large" : Encoding.Latin1.GetString(bytes.WrittenSpan))}");
                    (bytes is null).ShouldBe(line == NdjsonLine.TooLarge);
                    bytes?.Dispose();
                }

                data.IsEmpty.ShouldBeTrue();
            }
        }

        buffers.Outstanding.ShouldBe(0);
        return found;
    }

    private static ReadOnlySequence<byte> Sequence(byte[][] pieces)
    {
        Segment first = new(pieces[0], 0);
        Segment last = pieces.Skip(1).Aggregate(first, (current, piece) => current.Append(piece));
        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
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
