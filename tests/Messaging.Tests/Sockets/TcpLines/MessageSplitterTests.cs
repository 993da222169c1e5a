using System.Globalization;
using System.Text;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Messaging.Sources.Lines;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>Every framing: what it finds does not depend on how the bytes arrive.</summary>
public sealed class MessageSplitterTests
{
    private const int Limit = 12;

    public static TheoryData<string, string, string> Cases => new()
    {
        { nameof(Framing.Lf), "{}\n{\"a\":1}\r\n\nx\ry\n1234567890123\nend", "1 {}|2 {\"a\":1}|3 Blank|4 x\ry|5 TooLong 123456789012/13|6 End end" },
        { nameof(Framing.CrLf), "{}\r\n\r\na\nb\rc\r\r\n \n\r\n12345678901234\r\nend\r",
            "1 {}|2 Blank|3 a\nb\rc\r|4 Blank|5 TooLong 123456789012/15|6 End end" },
        { nameof(Framing.CrLf), "\n\r\n\r", "1 Blank|2 Blank" },
        { nameof(Framing.OctetCounting), "2 {}\n7 {\"a\":1\r\n3 \n\n\n12 123456789012", "1 {}|2 {\"a\":1\r|3 \n\n\n|4 123456789012" },
        { nameof(Framing.OctetCounting), "2 {}7 {\"a\":1}3 \n\n\n12 123456789012", "1 {}|2 {\"a\":1}|3 \n\n\n|4 123456789012" },
        { nameof(Framing.OctetCounting), "2 {}\n\r\n2 []\n13 12345678901234 12", "1 {}|2 []|3 TooLong 123456789012/13|4 End 12" },
        { nameof(Framing.OctetCounting), "2 {}17", "1 {}|2 End 17" },
        { nameof(Framing.OctetCounting), "200 {\"a\":1}", "1 End TooLong {\"a\":1}/7" },
        { nameof(Framing.OctetCounting), "2 {}02 {}", "1 {}|2 Broken 0" },
        { nameof(Framing.OctetCounting), "0 ", "1 Broken 0" },
        { nameof(Framing.OctetCounting), " 2 {}", "1 Broken  " },
        { nameof(Framing.OctetCounting), "{}\n", "1 Broken {" },
        { nameof(Framing.OctetCounting), "268435457 {}", "1 Broken 268435457 " },
        { nameof(Framing.OctetCounting), "1234567890 {}", "1 Broken 1234567890" },
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public void Next_EverySplit_FindsTheSameMessages(string framing, string text, string expected)
    {
        byte[] input = Encoding.Latin1.GetBytes(text);
        Read(framing, [input]).ShouldBe(expected);
        Read(framing, [.. input.Select(value => new[] { value })]).ShouldBe(expected, "byte by byte");
        for (int first = 0; first <= input.Length; first++)
        {
            for (int second = first; second <= input.Length; second++)
            {
                Read(framing, [input[..first], input[first..second], input[second..]]).ShouldBe(expected, $"split at {first} and {second}");
            }
        }
    }

    [Fact]
    public void Next_AnnouncedLength_TakesNoMemoryBeforeItsBytes()
    {
        BufferPool buffers = new();
        using MessageSplitter splitter = new(Framing.OctetCounting, maxBytes: 256 << 20, buffers);
        ReadOnlySpan<byte> data = "268435456 {"u8;
        long before = GC.GetAllocatedBytesForCurrentThread();

        splitter.Next(ref data, out _).ShouldBe(LineKind.None);

        (GC.GetAllocatedBytesForCurrentThread() - before).ShouldBeLessThan(64 << 10);
        splitter.HasPartial.ShouldBeTrue();
    }

    private static string Read(string framing, IEnumerable<byte[]> pieces)
    {
        BufferPool buffers = new(new PoisoningArrayPool());
        List<string> found = [];
        using (MessageSplitter splitter = new(Enum.Parse<Framing>(framing), Limit, buffers))
        {
            foreach (byte[] piece in pieces)
            {
                ReadOnlySpan<byte> rest = piece;
                while (!rest.IsEmpty && !splitter.IsBroken)
                {
                    LineKind kind = splitter.Next(ref rest, out ReadOnlySpan<byte> message);
                    if (kind != LineKind.None || splitter.IsBroken)
                    {
                        found.Add(Describe(splitter, splitter.IsBroken ? "Broken " : kind == LineKind.Line ? string.Empty : $"{kind} ", kind, message));
                    }
                }
            }

            if (splitter.HasPartial)
            {
                LineKind kind = splitter.End(out ReadOnlySpan<byte> message);
                found.Add(Describe(splitter, kind == LineKind.TooLong ? "End TooLong " : "End ", kind, message));
            }
        }

        buffers.Outstanding.ShouldBe(0);
        return string.Join('|', found);
    }

    private static string Describe(MessageSplitter splitter, string what, LineKind kind, ReadOnlySpan<byte> message) => kind == LineKind.Blank
        ? string.Create(CultureInfo.InvariantCulture, $"{splitter.Number} Blank")
        : string.Create(
            CultureInfo.InvariantCulture,
            $"{splitter.Number} {what}{Encoding.Latin1.GetString(message)}{(kind == LineKind.TooLong ? $"/{splitter.Bytes}" : string.Empty)}");
}
