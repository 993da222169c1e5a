using System.Globalization;
using System.Text;
using Messaging.Tests.Archive.ObjectKeys;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;

namespace Messaging.Tests.Archive.Headers;

/// <summary>Dates as log frameworks, mail and cloud services write them, beside ISO 8601's extended form.</summary>
public sealed class DateFormsTests
{
    [Theory]
    [InlineData("2026-01-31 10:20:30,123", "2026-01-31 10:20:30")]
    [InlineData("2026-01-31T10:20:30,123456789Z", "2026-01-31 10:20:30")]
    [InlineData("2026-01-31 10:20:30 +0000", "2026-01-31 10:20:30")]
    [InlineData("2026-01-31 10:20:30.5 +02:00", "2026-01-31 08:20:30")]
    [InlineData("2026-01-31 10:20:30 UTC", "2026-01-31 10:20:30")]
    [InlineData("2026-01-31 10:20 GMT", "2026-01-31 10:20:00")]
    [InlineData("2026-01-31T10:20:30 Z", "2026-01-31 10:20:30")]
    [InlineData("2026/01/31", "2026-01-31 00:00:00")]
    [InlineData("2026/01/31 10:20:30", "2026-01-31 10:20:30")]
    [InlineData("20260131", "2026-01-31 00:00:00")]
    [InlineData("20260131T102030Z", "2026-01-31 10:20:30")]
    [InlineData("20260131T102030.123+0200", "2026-01-31 08:20:30")]
    [InlineData("20260131T1020", "2026-01-31 10:20:00")]
    [InlineData("Sat, 31 Jan 2026 10:20:30 GMT", "2026-01-31 10:20:30")]
    [InlineData("Sat, 31 Jan 2026 10:20:30 -0800", "2026-01-31 18:20:30")]
    [InlineData("1 Feb 2026 10:20 +0000", "2026-02-01 10:20:00")]
    public void TryParse_KnownForm_GivesUtc(string text, string expected) => Parse(text).ShouldBe(expected);

    [Theory]
    [InlineData("")]
    [InlineData("2026")]
    [InlineData("2026-01/31")]
    [InlineData("2026/02/29")]
    [InlineData("2026-01-31 10:20,5")]
    [InlineData("2026-01-31 10:20:30,")]
    [InlineData("2026-01-31 10:20:30  Z")]
    [InlineData("2026-01-31 10:20:30 CET")]
    [InlineData("2026-01-31 10:20:30 ")]
    [InlineData("2026-01-31 Z")]
    [InlineData("20260231")]
    [InlineData("20260131T10")]
    [InlineData("20260131102030")]
    [InlineData("20260131T10203")]
    [InlineData("Sat, 31 Jan 26 10:20:30 GMT")]
    [InlineData("Sat, 31 Foo 2026 10:20:30 GMT")]
    [InlineData("Sat 31 Jan 2026 10:20:30 GMT")]
    [InlineData("Sat, 32 Jan 2026 10:20:30 GMT")]
    [InlineData("Sat, 31 Jan 2026 10:20:3 GMT")]
    [InlineData("31.01.2026")]
    [InlineData("2026-01-31T10:20:30,0000000000000000000000000000000000000000000000000000000000000Z")]
    public void TryParse_OtherText_IsNoDate(string text) => Parse(text).ShouldBeNull();

    [Theory]
    [InlineData("dd.MM.yyyy", "31.01.2026", "2026-01-31 00:00:00")]
    [InlineData("dd/MMM/yyyy:HH:mm:ss zzz", "31/Jan/2026:10:20:30 +0200", "2026-01-31 08:20:30")]
    [InlineData("yyyyMMddHHmmss", "20260131102030", "2026-01-31 10:20:30")]
    [InlineData("dd.MM.yyyy", "01/31/2026", null)]
    public void TryParse_FormatOfTheSettings_GivesUtc(string format, string text, string? expected)
    {
        DateForms.FindProblem(format).ShouldBeNull();

        Parse(text, new DateForms(["yyyy'Q'MM'Q'dd", format])).ShouldBe(expected);
        Parse("2026-01-31", new DateForms([format])).ShouldBe("2026-01-31 00:00:00");
    }

    [Theory]
    [InlineData("HH:mm", "it does not give the year, the month and the day")]
    [InlineData("yyyy-MM", "it does not give the year, the month and the day")]
    [InlineData("", "it does not give the year, the month and the day")]
    [InlineData("%", "it is not a custom date format of .NET")]
    [InlineData("yyyy-MM-dd '0123456789012345678901234567890123456789012345678901234567890123456789'", "its dates are longer than 64 characters")]
    public void FindProblem_UnusableFormat_IsNamed(string format, string problem) => DateForms.FindProblem(format).ShouldBe(problem);

    [Fact]
    public void TryParse_RandomTextOfTheForms_IsReadAsTheReferenceDoes()
    {
        string[] days = ["2026-01-31", "2026/01/31", "2026-01/31", "20260131", "20261331", "31 Jan 2026", "Sat, 1 Feb 2026", "31 jan 2026"];
        string[] times = ["T", " ", "t", "  "];
        string[] clocks = ["10:20:30", "10:20", "102030", "1020", "24:00", "10"];
        string[] ends = ["", ".5", ",5", ",", "Z", " Z", "+0200", " +02:00", " GMT", " UTC", "GMT", " CET", "-1", ",123 +0000"];
        Random random = new(20_261_127);
        int dates = 0;
        for (int i = 0; i < 20_000; i++)
        {
            string text = Any(days) + (random.Next(10) == 0 ? "" : Any(times) + Any(clocks) + Any(ends));
            string? read = Parse(text);

            read.ShouldBe(ReferenceKey.Date(text)?.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture), text);
            dates += read is null ? 0 : 1;
        }

        dates.ShouldBeGreaterThan(1_000);

        string Any(string[] pieces) => pieces[random.Next(pieces.Length)];
    }

    [Theory]
    [InlineData("1769854830", "epoch")]
    [InlineData("1769854830123", "epochms")]
    [InlineData("1769854830123456", "epochus")]
    [InlineData("1769854830123456789", "epochns")]
    public void Key_Epochs_AreReadInTheirUnit(string number, string rule) =>
        KeyRun
            .Key($$"""{"at":{{number}},"MessageId":"m"}""", options: new ArchiveOptions { Template = $"{{at:{rule}:yyyy-MM-dd_HH.mm.ss}}/{{MessageId}}" })
            .ShouldBe("2026-01-31_10.20.30/m");

    [Theory]
    [InlineData("-1", "epochns", "1969-12-31_23.59.59")]
    [InlineData("-1000000000", "epochns", "1969-12-31_23.59.59")]
    [InlineData("-1000000001", "epochns", "1969-12-31_23.59.58")]
    [InlineData("-1.5", "epochus", "1969-12-31_23.59.59")]
    [InlineData("9223372036854775807", "epochns", "2262-04-11_23.47.16")]
    public void Key_EpochsBefore1970AndAtTheEnd_AreRoundedDown(string number, string rule, string expected) =>
        KeyRun
            .Key($$"""{"at":{{number}},"MessageId":"m"}""", options: new ArchiveOptions { Template = $"{{at:{rule}:yyyy-MM-dd_HH.mm.ss}}/{{MessageId}}" })
            .ShouldBe(expected + "/m");

    [Theory]
    [InlineData("2026-01-31T22:30:00Z", "2026/01/31/23")]
    [InlineData("2026-01-31T23:30:00Z", "2026/02/01/00")]
    [InlineData("2026-07-31T22:30:00Z", "2026/08/01/00")]
    [InlineData("0001-01-01T05:00:00Z", "0001/01/01/05")]
    [InlineData("9999-12-31T23:59:59Z", "9999/12/31/23")]
    public void Key_TimeZone_PartitionsByLocalTime(string date, string expected)
    {
        ArchiveOptions options = new() { Template = "{at:yyyy/MM/dd/HH}/{MessageId}", TimeZone = "Europe/Berlin" };

        // Until 1893 Berlin kept its solar time, 53 minutes and 28 seconds ahead of UTC.
        KeyRun.Key($$"""{"at":"{{date}}","MessageId":"m"}""", options: options).ShouldBe(expected + "/m");
    }

    [Fact]
    public void Key_BadDateThatIsLeftOut_HasNoDateLevels()
    {
        ArchiveOptions options =
            new() { Template = "{at:yyyy/MM/dd}/x/{MessageId}", InvalidDate = InvalidDateRule.LeaveOut, MissingProperty = MissingPropertyRule.DeadLetter };

        KeyRun.Key("""{"at":"yesterday","MessageId":"m"}""", options: options).ShouldBe("x/m");
        KeyRun.Key("""{"at":"2026-01-31","MessageId":"m"}""", options: options).ShouldBe("2026/01/31/x/m");
        KeyRun.Run("""{"MessageId":"m"}"""u8.ToArray(), [], KeyRun.Compile(options)).Poison.Reason.ShouldBe(PoisonReason.MissingProperty);
    }

    [Theory]
    [InlineData("{at:yyyy/MM/dd}", "[2026,1,31,10,0]")]
    [InlineData("{at:yyyy/MM/dd}", "[]")]
    [InlineData("{at:yyyy/MM/dd}", "{\"$date\":\"2026-01-31\"}")]
    [InlineData("{at:yyyy/MM/dd}", "1769853600")]
    [InlineData("{at:yyyy/MM/dd}", "true")]
    [InlineData("{at:epoch:yyyy/MM/dd}", "false")]
    [InlineData("{at:epoch:yyyy/MM/dd}", "1.7e9")]
    [InlineData("{at:epoch:yyyy/MM/dd}", "[1769853600]")]
    [InlineData("{at:epoch:yyyy/MM/dd}", "\"yesterday\"")]
    public void Key_DateOfAnyOtherType_IsLeftOutLikeOneThatCannotBeRead(string level, string value)
    {
        ArchiveOptions options =
            new() { Template = $"{level}/x/{{MessageId}}", InvalidDate = InvalidDateRule.LeaveOut, MissingProperty = MissingPropertyRule.DeadLetter };
        foreach (BodyValidation validation in Enum.GetValues<BodyValidation>())
        {
            KeyRun.Run(Encoding.UTF8.GetBytes($$"""{"at":{{value}},"MessageId":"m"}"""), [], KeyRun.Compile(options), validation).ShouldBe(("x/m", default));
            KeyRun.Run(Encoding.UTF8.GetBytes($$"""{"MessageId":"m","at":{{value}}}"""), [], KeyRun.Compile(options), validation).ShouldBe(("x/m", default));
        }
    }

    [Fact]
    public void Key_MalformedValueOfADateThatIsLeftOut_IsMalformed()
    {
        ArchiveOptions options = new() { Template = "{at:yyyy/MM/dd}/x/{MessageId}", InvalidDate = InvalidDateRule.LeaveOut };

        KeyRun.Run("""{"at":[2026,,1],"MessageId":"m"}"""u8.ToArray(), [], KeyRun.Compile(options)).Poison.Reason.ShouldBe(PoisonReason.MalformedJson);
    }

    private static string? Parse(string text, DateForms? forms = null)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        return HeaderDate.TryParse(bytes, HeaderUse.Date, forms ?? DateForms.Known, out HeaderDate date)
            ? string.Create(CultureInfo.InvariantCulture, $"{date.Year:0000}-{date.Month:00}-{date.Day:00} {date.Hour:00}:{date.Minute:00}:{date.Second:00}")
            : null;
    }
}
