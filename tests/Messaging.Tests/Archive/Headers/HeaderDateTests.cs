using System.Globalization;
using System.Text;
using Messaging.Tests.Archive.ObjectKeys;
using Quayside.Messaging.Archive.Headers;

namespace Messaging.Tests.Archive.Headers;

public sealed class HeaderDateTests
{
    [Theory]
    [InlineData("2019-04-01", "2019-04-01 00:00:00")]
    [InlineData("2019-04-01T10:20", "2019-04-01 10:20:00")]
    [InlineData("2019-04-01T10:20Z", "2019-04-01 10:20:00")]
    [InlineData("2019-04-01T10:20:30", "2019-04-01 10:20:30")]
    [InlineData("2019-04-01T10:20:30Z", "2019-04-01 10:20:30")]
    [InlineData("2019-04-01t10:20:30z", "2019-04-01 10:20:30")]
    [InlineData("2019-04-01 10:20:30", "2019-04-01 10:20:30")]
    [InlineData("2019-04-01T10:20:30.1Z", "2019-04-01 10:20:30")]
    [InlineData("2019-04-01T10:20:30.9999999Z", "2019-04-01 10:20:30")]
    [InlineData("2019-04-01T10:20:30.123456789012345678901234567890+00:00", "2019-04-01 10:20:30")]
    [InlineData("2019-04-01T00:30:00+02:00", "2019-03-31 22:30:00")]
    [InlineData("2019-04-01T00:30:00+0200", "2019-03-31 22:30:00")]
    [InlineData("2019-04-01T00:30:00+02", "2019-03-31 22:30:00")]
    [InlineData("2019-12-31T23:59:59-00:01", "2020-01-01 00:00:59")]
    [InlineData("2019-12-31T23:59:59-23:59", "2020-01-01 23:58:59")]
    [InlineData("2020-02-29", "2020-02-29 00:00:00")]
    [InlineData("2000-02-29", "2000-02-29 00:00:00")]
    [InlineData("0001-01-01", "0001-01-01 00:00:00")]
    [InlineData("9999-12-31T23:59:59", "9999-12-31 23:59:59")]
    public void TryParse_IsoForms_GiveUtc(string text, string expected) => Parse(text).ShouldBe(expected);

    [Theory]
    [InlineData("2019-4-1")]
    [InlineData("2019-04")]
    [InlineData("2019-02-29")]
    [InlineData("1900-02-29")]
    [InlineData("2019-04-31")]
    [InlineData("2019-00-01")]
    [InlineData("2019-13-01")]
    [InlineData("2019-01-00")]
    [InlineData("0000-01-01")]
    [InlineData("10000-01-01")]
    [InlineData("+2019-01-01")]
    [InlineData("-019-01-01")]
    [InlineData("2019-04-01T")]
    [InlineData("2019-04-01T10")]
    [InlineData("2019-04-01T1:20")]
    [InlineData("2019-04-01T24:00:00")]
    [InlineData("2019-04-01T10:60:00")]
    [InlineData("2019-04-01T10:20:60")]
    [InlineData("2019-04-01T10:20:")]
    [InlineData("2019-04-01T10:20:3")]
    [InlineData("2019-04-01T10:20:30.")]
    [InlineData("2019-04-01T10:20:30.Z")]
    [InlineData("2019-04-01T10:20.5")]
    [InlineData("2019-04-01T10:20:30,5")]
    [InlineData("2019-04-01T10:20:30ZZ")]
    [InlineData("2019-04-01T10:20:30 Z")]
    [InlineData("2019-04-01T10:20:30+")]
    [InlineData("2019-04-01T10:20:30+2")]
    [InlineData("2019-04-01T10:20:30+24:00")]
    [InlineData("2019-04-01T10:20:30+02:60")]
    [InlineData("2019-04-01T10:20:30+02:0")]
    [InlineData("2019-04-01T10:20:30+02:00:00")]
    [InlineData("2019-04-01T10:20:30+02-00")]
    [InlineData("2019-04-01Z")]
    [InlineData("2019-04-01\010:20")]
    [InlineData(" 2019-04-01")]
    [InlineData("2019-04-01 ")]
    [InlineData("2019/04/01")]
    [InlineData("01.04.2019")]
    [InlineData("20190401")]
    [InlineData("20190401T102030Z")]
    [InlineData("2019-W14-1")]
    [InlineData("2019-091")]
    [InlineData("1554112800")]
    [InlineData("/Date(1554112800000)/")]
    [InlineData("Mon, 01 Apr 2019 10:20:30 GMT")]
    [InlineData("0001-01-01T00:00:00+00:01")]
    [InlineData("9999-12-31T23:59:59-00:01")]
    [InlineData("\u0662\u0660\u0661\u0669-04-01")]
    public void TryParse_AnythingElse_IsNotTheExtendedForm(string text) => Parse(text).ShouldBeNull();

    [Fact]
    public void TryParse_EveryDayOfFourCenturies_EqualsTheCalendar()
    {
        for (var day = new DateTime(1800, 1, 1, 0, 0, 0, DateTimeKind.Utc); day.Year < 2201; day = day.AddDays(1))
        {
            HeaderDate.TryParse(Encoding.UTF8.GetBytes(day.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture)), out HeaderDate date).ShouldBeTrue();
            date.ShouldBe(new HeaderDate((ushort)day.Year, (byte)day.Month, (byte)day.Day, 0, 0, 0));
        }
    }

    [Fact]
    public void TryParse_ValidTextsWithOneByteChanged_EqualTheReference()
    {
        string[] texts = ["2019-04-01", "2020-02-29T10:20Z", "2019-12-31 23:59:59.123+05:30", "9999-12-31T23:00:00-0100", "0001-01-01T00:59:59+01"];
        foreach (string text in texts)
        {
            for (int at = 0; at <= text.Length; at++)
            {
                for (char c = '\0'; c < 128; c++)
                {
                    ShouldEqualReference(text[..at] + c + (at < text.Length ? text[(at + 1)..] : ""));
                }

                ShouldEqualReference(text[..at]);
            }
        }
    }

    private static void ShouldEqualReference(string text) =>
        (Parse(text) ?? ParseOtherForm(text)).ShouldBe(ReferenceKey.Date(text)?.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture), text);

    private static string? Parse(string text) => Show(HeaderDate.TryParse(Encoding.UTF8.GetBytes(text), out HeaderDate date), date);

    private static string? ParseOtherForm(string text) => Show(DateForms.Known.TryParse(Encoding.UTF8.GetBytes(text), out HeaderDate date), date);

    private static string? Show(bool isDate, HeaderDate date)
    {
        date.HasValue.ShouldBe(isDate);
        return !isDate ? null : $"{date.Year:0000}-{date.Month:00}-{date.Day:00} {date.Hour:00}:{date.Minute:00}:{date.Second:00}";
    }
}
