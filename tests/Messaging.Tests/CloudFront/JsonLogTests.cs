using System.Text;
using Quayside.Messaging.CloudFront;
using Quayside.Messaging.CloudFront.Rows;
using Quayside.Messaging.Sinks;
using Tests.Shared;

namespace Messaging.Tests.CloudFront;

/// <summary>Logs of standard logging v2: a JSON object per line, and w3c with columns of the user's choice.</summary>
public sealed class JsonLogTests
{
    private static readonly string[] Letters = ["b", "a"];

    // The smallest row limit that a few dozen bytes exceed.
    private const int SmallRow = 40;

    public static TheoryData<string, string> Grid => new()
    {
        { "{\"a\":\"1\",\"b\":\"2\"}\n{\"b\":\"4\",\"a\":\"3\"}\n", "1: 2|1\n2: 4|3" },
        { "{\"a\":\"1\",\"b\":\"2\"}", "1: 2|1" },
        { "\r\n{\"a\":\"1\",\"b\":\"2\"}\r\n\n", "1: 2|1" },
        { "{ \"a\" : \"1\", \"x\":{\"b\":[]},\"b\":\"2\" } \n", "1: 2|1" },
        { "{\"\\u0061\":\"\\u0009\\\"\",\"b\":\"\"}\n", "1: |\t\"" },
        { "{\"a\":1.50,\"b\":true}\n{\"a\":{\"c\":1},\"b\":[1, 2]}\n", "1: true|1.50\n2: [1, 2]|{\"c\":1}" },
        { "{\"a\":null,\"b\":\"-\"}\n", "1: -|-" },
        { "{\"a\":\"1\"}\n{\"a\":\"1\",\"b\":\"2\"}\n", "1: row-missing-column {\"a\":\"1\"}\n2: 2|1" },
        { "{\"a\":\"1\",\"b\":\"2\",\"a\":\"3\"}\n", "1: row-not-json {\"a\":\"1\",\"b\":\"2\",\"a\":\"3\"}" },
        { "{\"a\":\"1\",\"b\":\"2\"}\n#Fields: a b\n1\t2\n[]\n", "1: 2|1\n2: row-not-json #Fields: a b\n3: row-not-json 1\t2\n4: row-not-json []" },
        { "{\"a\":\"1\",\"b\":\"2\"} x\n{\"a\":\"1\",\"b\":\n{}\n",
            "1: row-not-json {\"a\":\"1\",\"b\":\"2\"} x\n2: row-not-json {\"a\":\"1\",\"b\":\n3: row-missing-column {}" },
        { "{\"a\":\"1\",\"b\":\"\\ud800\"}\n", "1: row-invalid-utf8 {\"a\":\"1\",\"b\":\"\\ud800\"}" },
        { "{\"a\":\"1\",\"b\":\"\0\"}\n", "1: row-not-json {\"a\":\"1\",\"b\":\"\0\"}" },
        { "#Version: 1.0\n{\"a\":\"1\",\"b\":\"2\"}\n", "1: 2|1" },
        { "#Fields: a b\n{\t}\n", "1: }|{" },
        { "{\"a\":\"" + new string('x', 25) + "\",\"b\":\"\"}\n", "1: |" + new string('x', 25) },
        { "{\"a\":\"" + new string('x', 26) + "\",\"b\":\"\"}\n{}\n",
            "1: row-too-long {\"a\":\"" + new string('x', 26) + "\",\"b\":\"\"\n2: row-missing-column {}" },
        { "{\"a\":\"" + new string('x', 200) + "\"}\n{\"a\":\"1\",\"b\":\"2\"}\n", "1: row-too-long {\"a\":\"" + new string('x', 34) + "\n2: 2|1" },
        { "{\"a\":\"1\",\"b\":\"2\"}\n\u00ef\u00bb\u00bf\u00ef\u00bb\u00bf{\"a\":\"\",\"b\":\"" + new string('x', 25) + "\"}\r\n",
            "1: 2|1\n2: " + new string('x', 25) + "|" },
        { "{\"a\":\"" + new string('x', 200) + "\"}\nx\n", "1: row-too-long {\"a\":\"" + new string('x', 34) + "\n2: row-not-json x" },
        { "[{\"a\":\"1\",\"b\":\"2\"}]\n", "! log-no-fields" },
    };

    [Theory]
    [MemberData(nameof(Grid))]
    public void Parse_GridSplitAtEveryByte_GivesTheSame(string text, string expected)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(text);
        SeenRows.Parse(bytes, Letters, SmallRow).ShouldBe(expected);
        for (int place = 0; place <= bytes.Length; place++)
        {
            SeenRows.Parse(bytes, Letters, SmallRow, first: place).ShouldBe(expected, $"split at {place}");
        }

        SeenRows.Parse(bytes, Letters, SmallRow, piece: 1, pause: true).ShouldBe(expected, "byte by byte, with pauses");
    }

    [Fact]
    public void Parse_FirstRowLargerThanTheWindow_IsABadRowAndTheNextIsRead()
    {
        byte[] log = Encoding.ASCII.GetBytes("{\"a\":\"" + new string('x', 1 << 20) + "\"}\n{\"a\":\"1\",\"b\":\"2\"}\n");

        string[] seen = SeenRows.Parse(log, Letters).Split('\n');

        seen.Length.ShouldBe(2);
        seen[0].Length.ShouldBe("1: row-too-long ".Length + (64 * 1024));
        seen[1].ShouldBe("2: 2|1");
    }

    [Theory]
    [InlineData(
        """{"date":"2024-11-14","time":"21:34:06","x-edge-location":"SOF50-P2","asn":"16509","timestamp(ms)":"1731620046814","origin-fbl":"0.251","x-host-header":"d111111abcdef8.cloudfront.net","cs(Cookie)":"-"}""")]
    [InlineData(
        "#Version: 1.0\n#Fields: date time x-edge-location asn timestamp(ms) x-host-header "
            + "cs(Cookie)\n2024-11-14\t21:34:06\tSOF50-P2\t16509\t1731620046814\td111111abcdef8.cloudfront.net\t-")]
    public async Task Index_LogOfStandardLoggingV2_MakesTheSameDocument(string log)
    {
        IndexRun run = new(["asn", "timestamp(ms)=received", "cs(Cookie)"], optional: ["c-country"]);

        LogOutcome outcome = await run.IndexTextAsync(log + "\n");

        outcome.Documents.ShouldBe(new DocumentsResult(SinkStatus.Stored, 1, 0, 0));
        run.InOrder().ShouldBe(["""{"@timestamp":"2024-11-14T21:34:06Z","asn":"16509","received":"1731620046814"}"""]);
    }

    [Theory]
    [InlineData("\u00ef\u00bb\u00bf{\"asn\":\"1\"}\n\u00ef\u00bb\u00bf{\"asn\":\"2\"}\n")]
    [InlineData("\u00ef\u00bb\u00bf#Version: 1.0\n#Fields: asn\n1\n2\n")]
    public async Task Index_LogWithAByteOrderMark_IsRead(string log)
    {
        IndexRun run = new(["asn"]);

        LogOutcome outcome = await run.IndexTextAsync(log);

        outcome.Documents.ShouldBe(new DocumentsResult(SinkStatus.Stored, 2, 0, 0));
        run.InOrder().ShouldBe(["{\"asn\":\"1\"}", "{\"asn\":\"2\"}"]);
    }

    [Fact]
    public async Task Index_BadRowsOfJson_AreDeadLetteredAndTheRestIndexed()
    {
        IndexRun run = new(["a", "b"]);

        LogOutcome outcome = await run.IndexTextAsync("{\"a\":\"1\"}\n{\"a\":\"1\",\"b\":\"\u00ff\"}\n{\"a\":\"\\u00e9\\n\",\"b\":\"\"}\n");

        run.Bad.ShouldBe(["1 row-missing-column {\"a\":\"1\"}", "2 row-invalid-utf8 {\"a\":\"1\",\"b\":\"\u00ff\"}"]);
        outcome.Detail.ShouldBe("Row 1 has no column b. If not every row has it, name it in Handlers:CloudFront:OptionalColumns instead of Columns.");
        run.InOrder().ShouldBe(["{\"a\":\"\u00e9\\n\",\"b\":\"\"}"]);
    }

    [Fact]
    public async Task Index_PlainTextOfStandardLoggingV2_NamesTheFormatsThatAreRead()
    {
        LogOutcome outcome = await new IndexRun(["a"]).IndexTextAsync("2024-11-14 21:34:06 SOF50-P2\n");

        outcome.Fault.ShouldBe(LogFault.NoFields);
        outcome.Detail.ShouldContain("choose w3c or JSON");
    }

    [Theory]
    [InlineData(1_000)]
    [InlineData(10_000)]
    public void Parse_RowsOfJson_AllocateNothingPerRow(int rows)
    {
        byte[] line = Encoding.ASCII.GetBytes("""{"date":"2024-11-14","cs(User-Agent)":"Mozilla\/5.0","x":{"y":[1,2]},"sc-status":200}""" + "\n");
        using LogParser parser = new(new ColumnMap([.. "date,sc-status,cs(User-Agent)".Split(',').Select(Encoding.UTF8.GetBytes)], required: 3), 64 * 1024);
        CountedRows counted = new();
        int filled = 0;
        Fill(1);

        MinBytes.OfThread(() => Fill(rows)).ShouldBe(0);
        counted.Bytes.ShouldBe(filled * ("2024-11-14".Length + "200".Length + "Mozilla/5.0".Length));

        void Fill(int count)
        {
            for (int i = 0; i < count; i++)
            {
                line.CopyTo(parser.Free);
                parser.Advance(line.Length);
                parser.Parse(counted);
                filled++;
            }
        }
    }

    private sealed class CountedRows : ILogRows
    {
        public int Bytes { get; private set; }

        public bool Take(in LogRow row)
        {
            Bytes += row[0].Length + row[1].Length + row[2].Length;
            return true;
        }

        public bool TakeBad(long number, ReadOnlySpan<byte> text, string fault) => throw new InvalidOperationException(fault);
    }
}
