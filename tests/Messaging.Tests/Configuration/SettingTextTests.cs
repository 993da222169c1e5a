using System.Globalization;
using FsCheck;
using FsCheck.Fluent;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Configuration;

public sealed class SettingTextTests
{
    [Theory]
    [InlineData(typeof(string), "a", true)]
    [InlineData(typeof(string[]), "a,b", true)]
    [InlineData(typeof(bool), "true", true)]
    [InlineData(typeof(int), "1", true)]
    [InlineData(typeof(double), "1", true)]
    [InlineData(typeof(TimeSpan), "1s", true)]
    [InlineData(typeof(Uri), "http://a", true)]
    [InlineData(typeof(DayOfWeek), "Monday", true)]
    [InlineData(typeof(int[]), "1", false)]
    [InlineData(typeof(decimal), "1", true)]
    [InlineData(typeof(DateTimeOffset), "2026-01-31T10:00:00Z", true)]
    [InlineData(typeof(DateTime), "2026-01-31T10:00:00Z", false)]
    public void IsReadable_EachType_AgreesWithTryParse(Type type, string text, bool known)
    {
        SettingText.IsReadable(type).ShouldBe(known);
        SettingText.TryParse(text, type, bytes: false, out _).ShouldBe(known);
    }

    [Theory]
    [InlineData("250ms", "00:00:00.250")]
    [InlineData("20s", "00:00:20")]
    [InlineData("5m", "00:05:00")]
    [InlineData("3d", "3.00:00:00")]
    [InlineData("1.5s", "00:00:01.5")]
    [InlineData("0s", "00:00:00")]
    [InlineData("0.1ms", "00:00:00.0001")]
    [InlineData(" 20 S ", "00:00:20")]
    [InlineData("-5s", "-00:00:05")]
    [InlineData("00:00:20", "00:00:20")]
    [InlineData("1.00:00:01", "1.00:00:01")]
    public void TryParse_Time_IsRead(string text, string expected) =>
        Parse<TimeSpan>(text).ShouldBe(
            TimeSpan.ParseExact(
                expected, ["c", @"hh\:mm\:ss\.f", @"hh\:mm\:ss\.fff", @"hh\:mm\:ss\.ffff", @"\-hh\:mm\:ss"], CultureInfo.InvariantCulture,
                expected[0] == '-' ? TimeSpanStyles.AssumeNegative : TimeSpanStyles.None));

    [Theory]
    [InlineData("0.1", "0.1")]
    [InlineData("-12.50", "-12.50")]
    [InlineData("1e3", "1000")]
    [InlineData("79228162514264337593543950335", "79228162514264337593543950335")]
    public void TryParse_Decimal_IsExact(string text, string expected)
    {
        Parse<decimal>(text).ShouldBe(decimal.Parse(expected, CultureInfo.InvariantCulture));
        Parse<decimal>(SettingText.Format(Parse<decimal>(text), bytes: false)).ShouldBe(Parse<decimal>(text));
    }

    [Theory]
    [InlineData("2026-01-31T10:00:00Z", "2026-01-31T10:00:00Z")]
    [InlineData("2026-01-31T10:00Z", "2026-01-31T10:00:00Z")]
    [InlineData("2026-01-31T11:00:00.25+01:00", "2026-01-31T11:00:00.25+01:00")]
    [InlineData("2026-01-31T04:30-05:30", "2026-01-31T04:30:00-05:30")]
    public void TryParse_PointInTime_IsReadWithItsOffset(string text, string canonical)
    {
        DateTimeOffset read = Parse<DateTimeOffset>(text);

        read.ShouldBe(DateTimeOffset.Parse(canonical, CultureInfo.InvariantCulture));
        SettingText.Format(read, bytes: false).ShouldBe(canonical);
        Parse<DateTimeOffset>(canonical).Offset.ShouldBe(read.Offset);
    }

    [Theory]
    [InlineData(typeof(TimeSpan), "20", false)]
    [InlineData(typeof(TimeSpan), "s", false)]
    [InlineData(typeof(TimeSpan), "", false)]
    [InlineData(typeof(TimeSpan), "5:00", false)]
    [InlineData(typeof(TimeSpan), "24:00:00", false)]
    [InlineData(typeof(TimeSpan), "20 seconds", false)]
    [InlineData(typeof(TimeSpan), "NaNs", false)]
    [InlineData(typeof(TimeSpan), "1e300d", false)]
    [InlineData(typeof(TimeSpan), "0x10s", false)]
    [InlineData(typeof(TimeSpan), "5m30s", false)]
    [InlineData(typeof(bool), "true", true)]
    [InlineData(typeof(bool), "False", true)]
    [InlineData(typeof(bool), "1", false)]
    [InlineData(typeof(bool), "yes", false)]
    [InlineData(typeof(double), "0.1", true)]
    [InlineData(typeof(double), "1e-3", true)]
    [InlineData(typeof(double), "NaN", false)]
    [InlineData(typeof(double), "Infinity", false)]
    [InlineData(typeof(double), "1e999", false)]
    [InlineData(typeof(double), "0,1", false)]
    [InlineData(typeof(Uri), "http://127.0.0.1:4566", true)]
    [InlineData(typeof(Uri), "localhost:4566", false)]
    [InlineData(typeof(Uri), "/etc/passwd", false)]
    [InlineData(typeof(Uri), "http://", false)]
    [InlineData(typeof(decimal), "1,5", false)]
    [InlineData(typeof(decimal), "NaN", false)]
    [InlineData(typeof(decimal), "79228162514264337593543950336", false)]
    [InlineData(typeof(DateTimeOffset), "2026-01-31", false)]
    [InlineData(typeof(DateTimeOffset), "2026-01-31T10:00:00", false)]
    [InlineData(typeof(DateTimeOffset), "31.01.2026 10:00:00Z", false)]
    [InlineData(typeof(DateTimeOffset), "2026-02-30T10:00:00Z", false)]
    [InlineData(typeof(DateTimeOffset), "1769853600", false)]
    public void TryParse_TextOfAType_IsAcceptedOrRefused(Type type, string text, bool accepted) =>
    SettingText.TryParse(text, type, bytes: false, out _).ShouldBe(accepted);

    [Theory]
    [InlineData("65536", 65_536)]
    [InlineData("64KiB", 65_536)]
    [InlineData("64 kib", 65_536)]
    [InlineData("64KB", 64_000)]
    [InlineData("1MiB", 1_048_576)]
    [InlineData("3GiB", 3_221_225_472)]
    [InlineData("17B", 17)]
    [InlineData("0", 0)]
    [InlineData("-1", -1)]
    public void TryParse_Bytes_AreRead(string text, long expected) => Parse<long>(text, bytes: true).ShouldBe(expected);

    [Theory]
    [InlineData("64K")]
    [InlineData("1.5MiB")]
    [InlineData("-1KiB")]
    [InlineData("9999999999GiB")]
    [InlineData("64KiBB")]
    public void TryParse_NotBytes_IsRefused(string text) => SettingText.TryParse(text, typeof(long), bytes: true, out _).ShouldBeFalse();

    [Fact]
    public void TryParse_ByteUnitForANumber_IsRefused() => SettingText.TryParse("64KiB", typeof(int), bytes: false, out _).ShouldBeFalse();

    [Theory]
    [InlineData("2147483647", true)]
    [InlineData("-2147483648", true)]
    [InlineData("2147483648", false)]
    [InlineData("2GiB", false)]
    [InlineData("1,000", false)]
    [InlineData("0x10", false)]
    public void TryParse_Int_ChecksItsRange(string text, bool accepted) =>
        SettingText.TryParse(text, typeof(int), bytes: text.EndsWith('B'), out _).ShouldBe(accepted);

    [Theory]
    [InlineData("Monday", true)]
    [InlineData("moNDay", true)]
    [InlineData("1", false)]
    [InlineData("Sunday,Monday", false)]
    [InlineData("Someday", false)]
    public void TryParse_Enum_OnlyNames(string text, bool accepted)
    {
        SettingText.TryParse(text, typeof(DayOfWeek), bytes: false, out object? value).ShouldBe(accepted);
        value.ShouldBe(accepted ? DayOfWeek.Monday : null);
    }

    [Fact]
    public void TryParse_List_IsSplitTrimmedAndWithoutEmptyEntries() => Parse<string[]>(" a, b ,,c ").ShouldBe(["a", "b", "c"]);

    [Fact]
    public void TryParse_Nullable_IsReadAsItsValue() =>
    SettingText.TryParse("5s", typeof(TimeSpan?), bytes: false, out object? value).ShouldBe(value is TimeSpan { Seconds: 5 });

    [Theory]
    [InlineData(typeof(bool), false, "true or false")]
    [InlineData(typeof(long), true, "a number of bytes such as 65536 or 64KiB")]
    [InlineData(typeof(int), false, "a whole number")]
    [InlineData(typeof(double), false, "a number")]
    [InlineData(typeof(TimeSpan), false, "a time such as 250ms, 20s, 5m or 00:00:20")]
    [InlineData(typeof(Uri), false, "an absolute address that begins with http:// or https://")]
    [InlineData(typeof(UriKind), false, "one of RelativeOrAbsolute, Absolute, Relative")]
    public void Expected_EachType_DescribesItsValues(Type type, bool bytes, string expected) => SettingText.Expected(type, bytes).ShouldBe(expected);

    [Theory]
    [InlineData(0, "0ms")]
    [InlineData(250, "250ms")]
    [InlineData(20_000, "20s")]
    [InlineData(300_000, "5m")]
    [InlineData(86_400_000, "24h")]
    [InlineData(-1_000, "-1000ms")]
    public void Format_Time_UsesTheLargestWholeUnit(double milliseconds, string expected) =>
        SettingText.Format(TimeSpan.FromMilliseconds(milliseconds), bytes: false).ShouldBe(expected);

    [Theory]
    [InlineData(0, "0")]
    [InlineData(1_000, "1000")]
    [InlineData(1_024, "1KiB")]
    [InlineData(1_536, "1536")]
    [InlineData(64L << 20, "64MiB")]
    [InlineData(3L << 30, "3GiB")]
    public void Format_Bytes_UsesTheLargestWholeUnit(long bytes, string expected) => SettingText.Format(bytes, bytes: true).ShouldBe(expected);

    [Theory]
    [InlineData("http://user:secret@host:80/path", "http://***@host:80/path")]
    [InlineData("https://user@host", "https://***@host")]
    [InlineData("https://u:p@ss@host/", "https://***@host/")]
    [InlineData("http://host/path", "http://host/path")]
    [InlineData("someone@example.com", "someone@example.com")]
    [InlineData("plain", "plain")]
    [InlineData("", "")]
    [InlineData("https://account.example/archive?sv=2024&sig=abc%3D", "https://account.example/archive?***")]
    [InlineData("https://sqs.eu-west-1.amazonaws.com/123456789012/orders?X-Amz-Signature=abc", "https://sqs.eu-west-1.amazonaws.com/123456789012/orders?***")]
    [InlineData("https://host/path#sig=abc", "https://host/path#***")]
    [InlineData("https://host/path?mail=a@b&sig=abc", "https://***@b&***")]
    [InlineData("amqp://user:p?ss@host/v?heartbeat=5", "amqp://***@host/v?***")]
    [InlineData(
        "Endpoint=sb://orders.example/;SharedAccessKeyName=root;SharedAccessKey=abc=;EntityPath=q",
        "Endpoint=sb://orders.example/;SharedAccessKeyName=root;SharedAccessKey=***;EntityPath=q")]
    [InlineData("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=abc==", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=***")]
    [InlineData("BlobEndpoint=https://a.example/;SharedAccessSignature=sv=1&sig=abc", "BlobEndpoint=https://a.example/;SharedAccessSignature=***&***")]
    [InlineData("orders?X-Amz-Signature=abc&x=1", "orders?X-Amz-Signature=***&x=1")]
    [InlineData("host=db;PASSWORD = abc", "host=db;PASSWORD =***")]
    [InlineData("sv=1&sig=abc", "sv=1&sig=***")]
    [InlineData("year={@enqueued:yyyy}/key={Key}.json", "year={@enqueued:yyyy}/key={Key}.json")]
    [InlineData("AKIA:hidden@127.0.0.1:9000", "***@127.0.0.1:9000")]
    [InlineData("a:1,u:hidden@h:8080", "a:1,***@h:8080")]
    [InlineData("{date:yyyy}-{@id}", "{date:yyyy}-{@id}")]
    [InlineData("-----BEGIN PRIVATE KEY-----\nMII", "***")]
    [InlineData("Authorization: Bearer hidden", "Authorization: ***")]
    [InlineData("authorization=Basic hidden", "authorization=***")]
    [InlineData("Bearer hidden", "Bearer ***")]
    [InlineData("X-Api-Key:hidden", "X-Api-Key:***")]
    [InlineData("{\"password\": \"hidden\", \"user\": 1}", "{\"password\": \"***\", \"user\": 1}")]
    [InlineData("Routes:token:Source", "Routes:token:Source")]
    [InlineData("http://h/p?", "http://h/p?")]
    public void Mask_WhatMayBeASecret_ShowsEverythingElse(string text, string expected) => SettingText.Mask(text).ShouldBe(expected);

    [Fact]
    public void Format_Null_IsEmpty() => SettingText.Format(value: null, bytes: false).ShouldBe(string.Empty);

    [Fact]
    public void FormatThenTryParse_AnyValue_GivesTheSame()
    {
        RoundTrips(ArbMap.Default.ArbFor<int>(), bytes: false);
        RoundTrips(ArbMap.Default.ArbFor<int>(), bytes: true);
        RoundTrips(ArbMap.Default.ArbFor<long>(), bytes: false);
        RoundTrips(ArbMap.Default.ArbFor<bool>(), bytes: false);
        RoundTrips(ArbMap.Default.ArbFor<DayOfWeek>(), bytes: false);
        RoundTrips(ArbMap.Default.ArbFor<NormalFloat>().Convert(real => real.Get, NormalFloat.NewNormalFloat), bytes: false);
        RoundTrips(
            Arb.From(Gen.Choose(0, 62).SelectMany(shift => Gen.Choose(1, 1_000).Select(factor => (long)((ulong)factor << shift) & long.MaxValue))),
            bytes: true);

        // From one tick to one year; the text has milliseconds as a double, which is exact far beyond that range.
        RoundTrips(
            Arb.From(Gen.Choose(0, 48).SelectMany(shift => Gen.Choose(-1_000, 1_000).Select(factor => TimeSpan.FromTicks((long)factor << shift)))
                .Where(time => time.Duration() < TimeSpan.FromDays(365))),
            bytes: false);
    }

    [Fact]
    public void FormatThenTryParse_Addresses_GiveTheSame()
    {
        foreach (string address in (string[])["http://127.0.0.1:4566/", "https://example.com/a%20b?c=%2F%25", "https://[::1]:8080/", "https://exämple.com/ü"])
        {
            Uri uri = new(address);

            SettingText.TryParse(SettingText.Format(uri, bytes: false), typeof(Uri), bytes: false, out object? again).ShouldBeTrue();
            again.ShouldBe(uri);
            ((Uri)again!).AbsoluteUri.ShouldBe(uri.AbsoluteUri);
        }
    }

    private static void RoundTrips<T>(Arbitrary<T> values, bool bytes)
    {
        Property sameAgain = Prop.ForAll(values, value =>
        {
            string text = SettingText.Format(value, bytes);
            bool parsed = SettingText.TryParse(text, typeof(T), bytes, out object? again);
            return (parsed && Equals(again, value)).Label($"{value} -> {text} -> {again}");
        });

        Check.One(Config.QuickThrowOnFailure.WithQuietOnSuccess(true).WithMaxTest(500), sameAgain);
    }

    private static T Parse<T>(string text, bool bytes = false)
    {
        SettingText.TryParse(text, typeof(T), bytes, out object? value).ShouldBeTrue();
        return value.ShouldBeOfType<T>();
    }
}
