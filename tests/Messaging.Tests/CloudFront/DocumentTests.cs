using System.Text;
using System.Text.Json;
using Quayside.Messaging.CloudFront.Documents;

namespace Messaging.Tests.CloudFront;

/// <summary>Fields, values and ids of documents.</summary>
public sealed class DocumentTests
{
    [Theory]
    [InlineData("date", "date")]
    [InlineData("cs(User-Agent)", "user_agent")]
    [InlineData("cs(Host)", "host")]
    [InlineData("x-edge-location", "x_edge_location")]
    [InlineData("sc-bytes", "sc_bytes")]
    [InlineData("c(odd", "c_odd")]
    public void FieldOf_Column_IsLowerCaseWithUnderscores(string column, string field) => DocumentShape.FieldOf(column).ShouldBe(field);

    [Theory]
    [InlineData("date,date")]
    [InlineData("date,time=date")]
    [InlineData("")]
    [InlineData("da te")]
    [InlineData("date=")]
    [InlineData("date=\"x\"")]
    [InlineData("=x")]
    public void TryCreate_WrongColumns_SaysWhatIsWrong(string columns)
    {
        DocumentShape
            .TryCreate(columns.Split(',', StringSplitOptions.RemoveEmptyEntries), string.Empty, out DocumentShape? shape, out string? problem)
            .ShouldBeFalse();

        shape.ShouldBeNull();
        problem.ShouldStartWith("must ");
    }

    [Theory]
    [InlineData("2026-01-31", "10:00:00", true)]
    [InlineData("0001-01-01", "00:00:00", true)]
    [InlineData("2024-02-29", "23:59:59", true)]
    [InlineData("2026-02-29", "10:00:00", false)]
    [InlineData("2026-13-01", "10:00:00", false)]
    [InlineData("2026-00-10", "10:00:00", false)]
    [InlineData("2026-01-00", "10:00:00", false)]
    [InlineData("0000-01-01", "10:00:00", false)]
    [InlineData("2026-01-31", "24:00:00", false)]
    [InlineData("2026-01-31", "10:60:00", false)]
    [InlineData("2026-01-31", "10:00:60", false)]
    [InlineData("2026-01-31", "10.00.00", false)]
    [InlineData("2026/01/31", "10:00:00", false)]
    [InlineData("2026-1-31", "10:00:00", false)]
    [InlineData("2026-01-3x", "10:00:00", false)]
    [InlineData("-", "10:00:00", false)]
    [InlineData("", "", false)]
    public void RowTimestamp_DateAndTime_AreUsedOnlyWhenValid(string date, string time, bool isValid)
    {
        byte[] target = new byte[RowTimestamp.Length];

        RowTimestamp.TryWrite(Encoding.ASCII.GetBytes(date), Encoding.ASCII.GetBytes(time), target).ShouldBe(isValid);

        if (isValid)
        {
            Encoding.ASCII.GetString(target).ShouldBe($"{date}T{time}Z");
        }
    }

    [Fact]
    public void TryCreate_CustomField_IsAccepted()
    {
        DocumentShape.TryCreate(["date", "cs(User-Agent)=agent.original", "time = @time"], string.Empty, out DocumentShape? shape, out _).ShouldBeTrue();

        shape!.Columns.Select(Encoding.UTF8.GetString).ShouldBe(["date", "cs(User-Agent)", "time"]);
        Encoding.UTF8.GetString(shape.Opener(1)).ShouldBe("\"agent.original\":\"");
        Encoding.UTF8.GetString(shape.Opener(2)).ShouldBe("\"@time\":\"");
    }

    [Fact]
    public void JsonValue_EveryByteAndCharacter_ReadsBackTheSame()
    {
        StringBuilder all = new();
        for (int c = 0; c < 0x3000; c++)
        {
            all.Append((char)c);
        }

        string text = all.Append("\U0001F600 end").ToString();
        byte[] value = Encoding.UTF8.GetBytes(text);
        byte[] json = new byte[2 + (value.Length * JsonValue.MaxBytesPerByte)];
        json[0] = (byte)'"';

        int written = JsonValue.Write(value, json.AsSpan(1));
        json[written + 1] = (byte)'"';

        JsonSerializer.Deserialize<string>(json.AsSpan(0, written + 2)).ShouldBe(text);
        json.AsSpan(0, written + 2).IndexOfAnyInRange((byte)0, (byte)0x1F).ShouldBe(-1);
        JsonValue.IsPlain(value).ShouldBeFalse();
        JsonValue.IsPlain("plain ASCII, 100 %"u8).ShouldBeTrue();
        JsonValue.IsPlain("\u00e9"u8).ShouldBeFalse();
    }

    [Fact]
    public void DocumentId_SameObject_HasTheSameIds()
    {
        string id = Encoding.ASCII.GetString(new DocumentId("logs", "a/b.gz", "v1").Of(17));

        id.ShouldBe(new DocumentId("logs", "a/b.gz", "v1").TextOf(17));
        id.ShouldEndWith("-17");
        id.Length.ShouldBe(22 + 3);

        // A contract: other ids would index every row twice.
        id.ShouldBe("xlUTaZd9ydtnjhyFKAlOiw-17");
    }

    [Fact]
    public void DocumentId_OtherObjects_HaveOtherIds()
    {
        string[] ids =
        [
            new DocumentId("logs", "a", "v1").TextOf(1), new DocumentId("logs", "a", "v2").TextOf(1), new DocumentId("logs", "b", "v1").TextOf(1),
            new DocumentId("logsa", "", "v1").TextOf(1), new DocumentId("log", "sa", "v1").TextOf(1), new DocumentId("logs", "av", "1").TextOf(1),
        ];

        ids.Distinct(StringComparer.Ordinal).Count().ShouldBe(ids.Length);
    }

    [Fact]
    public void DocumentId_LargestRow_Fits() => Encoding.ASCII.GetString(new DocumentId("b", "k", "v").Of(long.MaxValue)).ShouldEndWith("-9223372036854775807");
}
