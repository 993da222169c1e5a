using System.Text;
using Tests.Shared.CloudFront;

namespace Messaging.Tests.CloudFront;

/// <summary>Rows and columns of any log, cut at any byte.</summary>
public sealed class LogParserTests
{
    private static readonly string[] Three = ["date", "time", "cs(User-Agent)"];
    private static readonly string[] Letters = ["b", "a"];

    // The smallest row limit that a few dozen bytes exceed.
    private const int SmallRow = 40;

    public static TheoryData<string, string> Grid => new()
    {
        { "#Version: 1.0\n#Fields: a b\n1\t2\n3\t4\n", "1: 2|1\n2: 4|3" },
        { "#Fields: a b\n1\t2", "1: 2|1" },
        { "#Fields: a b\r\n1\t2\r\n3\t4\r\n", "1: 2|1\n2: 4|3" },
        { "#Fields: a b\n\n\r\n1\t2\n\n\n", "1: 2|1" },
        { "#Fields: b c a\n1\t2\t3\n", "1: 1|3" },
        { "#Fields: a b\n\t\n", "1: |" },
        { "#Fields: a b\n1\r\t2\r\r\n", "1: 2\r|1\r" },
        { "#Fields: a b\n1\n1\t2\t3\n1\t2\n", "1: row-too-few-columns 1\n2: row-too-many-columns 1\t2\t3\n3: 2|1" },
        { "#Fields: a b\n1\0\t2\n\0\n3\t4\n", "1: row-nul 1\0\t2\n2: row-nul \0\n3: 4|3" },
        { "#Fields: a b\n1\t2\n#Fields: b a\n1\t2\n#Remark\n", "1: 2|1\n2: 1|2" },
        { "#Fields: a b\n1\t2\n#Fields: c a d b\n1\t2\t3\t4\n1\t2\n", "1: 2|1\n2: 4|2\n3: row-too-few-columns 1\t2" },
        { "1\t2\n", "! log-no-fields" },
        { "#Version: 1.0\n1\t2\n#Fields: a b\n", "! log-no-fields" },
        { "#Version: 2.0\n#Fields: a b\n1\t2\n", "! log-unknown-version" },
        { "#Version:\n", "! log-unknown-version" },
        { "#Fields: a b\n1\t2\n#Version: 1.1\n1\t2\n", "1: 2|1\n! log-unknown-version" },
        { "#Fields:\n1\n", "! log-bad-fields" },
        { "#Fields: a b a\n1\t2\t3\n", "! log-bad-fields" },
        { "#Fields: a c\n1\t2\n", "! log-missing-column" },
        { "#Fields: a b\n1\t2\n#Fields: c\n1\n", "1: 2|1\n! log-missing-column" },
        { "", "" },
        { "\n", "" },
        { "#Version: 1.0\n#Fields: a b\n", "" },
        { "#Fields: a b\n" + new string('x', 39) + "\n1\t2\n", "1: row-too-few-columns " + new string('x', 39) + "\n2: 2|1" },
        { "#Fields: a b\n" + new string('x', 40) + "\r\n1\t2\n", "1: row-too-few-columns " + new string('x', 40) + "\n2: 2|1" },
        { "#Fields: a b\n" + new string('x', 41) + "\n1\t2\n", "1: row-too-long " + new string('x', 40) + "\n2: 2|1" },
        { "#Fields: a b\n1\t" + new string('x', 200) + "\n1\t2\n", "1: row-too-long 1\t" + new string('x', 38) + "\n2: 2|1" },
        { "#Fields: a b\n\u00ef\u00bb\u00bf\u00ef\u00bb\u00bf1\t" + new string('x', 38) + "\r\n\u00ef\u00bb\u00bf#Version: 1.0\n",
            "1: " + new string('x', 38) + "|1" },
        { "#Fields: a b\n1\t" + new string('x', 200), "1: row-too-long 1\t" + new string('x', 38) },
        { "#" + new string('x', 60) + "\n#Fields: a b\n", "! log-bad-fields" },
    };

    [Theory]
    [MemberData(nameof(Grid))]
    public void Parse_Grid_AgreesWithTheReadableRules(string text, string expected)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(text);

        SeenRows.Parse(bytes, Letters, SmallRow).ShouldBe(expected);
        ReadableLog.Parse(bytes, Letters, SmallRow).ShouldBe(expected);
    }

    [Theory]
    [MemberData(nameof(Grid))]
    public void Parse_GridSplitAtEveryByte_GivesTheSame(string text, string expected)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(text);
        for (int place = 0; place <= bytes.Length; place++)
        {
            SeenRows.Parse(bytes, Letters, SmallRow, first: place).ShouldBe(expected, $"split at {place}");
        }

        SeenRows.Parse(bytes, Letters, SmallRow, piece: 1).ShouldBe(expected, "byte by byte");
        SeenRows.Parse(bytes, Letters, SmallRow, piece: 1, pause: true).ShouldBe(expected, "byte by byte, with pauses");
        SeenRows.Parse(bytes, Letters, SmallRow, pause: true).ShouldBe(expected, "with pauses");
    }

    [Theory]
    [InlineData(24)]
    [InlineData(25)]
    [InlineData(26)]
    [InlineData(33)]
    public void Parse_LogsOfEveryAge_FindsTheColumnsByName(int columns)
    {
        byte[] log = AccessLog.Create(200, columns);

        string seen = SeenRows.Parse(log, Three);

        seen.ShouldBe(ReadableLog.Parse(log, Three));
        seen.Split('\n').Length.ShouldBe(200);
    }

    [Fact]
    public void Parse_EveryColumnAsOnlyOne_IsFound()
    {
        byte[] log = AccessLog.Create(20, 33);
        string[] fields = Encoding.ASCII.GetString(log).Split('\n')[1]["#Fields: ".Length..].Split(' ');
        foreach (string field in fields)
        {
            SeenRows.Parse(log, [field]).ShouldBe(ReadableLog.Parse(log, [field]), field);
        }

        SeenRows.Parse(log, fields).ShouldBe(ReadableLog.Parse(log, fields));
    }

    [Fact]
    public void Parse_LogLargerThanTheWindow_IsTheSameInEveryPiece()
    {
        byte[] log = AccessLog.Create(2_000);
        string expected = ReadableLog.Parse(log, Three);

        foreach (int piece in (int[])[1_000, 4_096, 65_537, 131_071, int.MaxValue])
        {
            SeenRows.Parse(log, Three, piece: piece).ShouldBe(expected, $"pieces of {piece}");
        }
    }

    [Fact]
    public void Parse_RowOfAMegabyte_IsABadRowAndTheNextIsRead()
    {
        byte[] log = Encoding.ASCII.GetBytes("#Fields: a b\n1\t" + new string('x', 1 << 20) + "\n3\t4\n");

        string[] seen = SeenRows.Parse(log, Letters).Split('\n');

        seen.Length.ShouldBe(2);
        seen[0].Length.ShouldBe("1: row-too-long ".Length + (64 * 1024));
        seen[1].ShouldBe("2: 4|3");
    }

    [Fact]
    public void Parse_ManyDirectivesThatChangeTheColumns_DoNotNest()
    {
        StringBuilder text = new();
        for (int i = 0; i < 20_000; i++)
        {
            text.Append("#Fields: a b\n#Fields: x b a\n");
        }

        text.Append("1\t2\t3\n");

        SeenRows.Parse(Encoding.ASCII.GetBytes(text.ToString()), Letters).ShouldBe("1: 2|3");
    }
}
