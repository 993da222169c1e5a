using System.Globalization;
using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Messaging.Archive.Headers;
using Worker.Tests.Archive.ObjectKeys;

namespace Worker.Tests.Archive.Headers;

/// <summary>The reader against <see cref="ReferenceReader"/> on random JSON, whole and damaged.</summary>
public sealed class ArchiveHeaderReaderPropertyTests
{
    private static readonly Config Runs = Config.QuickThrowOnFailure.WithMaxTest(1_000);

    private static readonly Gen<string> Blank = Gen.Frequency((6, Gen.Constant("")), (1, Gen.Elements(" ", "\n", "\t\r\n ")));

    private static readonly Gen<string> Name = Gen.Frequency(
        (6, Gen.Elements("a", "b", "c", "\\u0061", "", "Produc", "product", "\\u0050", "\\ud83d\\ude00")),
        (2, Gen.Elements("Product", "EventDateUtc", "MessageId")),
        (1, Gen.Elements("Pro\\u0064uct", "M\\u0065ssageId", "Pro\\u0064uct", "M\\u0065ssageId", "\\ud800")));

    private static readonly Gen<string> Text = Gen.Frequency(
        (12, Gen.Elements("", "x", "My Product", "2019-04-01", "2019-04-01T10:20:30Z", "\\n\\t\\\"\\\\\\/", "\\u00e9\\u20ac", "\\ud83d\\ude00", "\u00E9\u20AC\U0001F600")),
        (2, Gen.Elements("\u007F", "0123456789abcdef", "0123456789abcdef0123456789abcdef\\n0123456789abcdef0123456789abcdef")),
        (1, Gen.Elements("x", "x", "x", "\\ud83d", "\\ude00\\ud83d", "\\ud800\\u0041")));

    [Fact]
    public void TryRead_RandomJson_EqualsTheReference() => ShouldEqualReferenceFor(Bodies());

    [Fact]
    public void TryRead_RandomJsonDamaged_EqualsTheReference() => ShouldEqualReferenceFor(Damaged());

    [Fact]
    public void TryRead_OneBodyWithEveryByteReplaced_EqualsTheReference()
    {
        byte[] body = Encoding.UTF8.GetBytes("{\"Product\":\"p\\n\\u0041\",\"x\":[1.5e-2,null,{\"a\":\"b\"}],\"EventDateUtc\":\"2019-04-01\"}");
        for (int at = 0; at < body.Length; at++)
        {
            byte kept = body[at];
            for (int b = 0; b < 256; b++)
            {
                body[at] = (byte)b;
                ShouldEqualReference(body);
            }

            body[at] = kept;
        }
    }

    [Fact]
    public void TryRead_AllShortTexts_EqualTheReference()
    {
        const string Letters = "{}[]\",:01-\\n ";
        for (int length = 0; length <= 4; length++)
        {
            byte[] text = new byte[length];
            for (long number = 0; number < Math.Pow(Letters.Length, length); number++)
            {
                long rest = number;
                for (int i = 0; i < length; i++, rest /= Letters.Length)
                {
                    text[i] = (byte)Letters[(int)(rest % Letters.Length)];
                }

                ShouldAgree([.. text]);
            }
        }

        static void ShouldAgree(byte[] text)
        {
            bool read = new ArchiveHeaderReader(BodyRun.Properties).TryRead(text, new ArchiveHeader(), out Poison poison);
            bool readInside = new ArchiveHeaderReader(BodyRun.Properties).TryRead((byte[])[.. "{\"x\":"u8, .. text, .. "}"u8], new ArchiveHeader(), out _);
            read.ShouldBe(ReferenceReader.Read(text) is not null, poison.ToString());
            readInside.ShouldBe(ReferenceReader.Read([.. "{\"x\":"u8, .. text, .. "}"u8]) is not null);
        }
    }

    // A generator of only good or only bad bodies would prove little.
    private static void ShouldEqualReferenceFor(Gen<byte[]> bodies)
    {
        int accepted = 0;
        Prop.ForAll(bodies.ToArbitrary(), body =>
        {
            ShouldEqualReference(body);
            accepted += BodyRun.Read(body).Code == "" ? 1 : 0;
        }).Check(Runs);
        accepted.ShouldBeInRange(Runs.MaxTest / 20, Runs.MaxTest * 19 / 20);
    }

    private static void ShouldEqualReference(byte[] body)
    {
        BodyResult result = BodyRun.Read(body);
        Dictionary<string, string?>? expected = ReferenceReader.Read(body);
        (result.Code == "").ShouldBe(expected is not null, $"{result.Poison}: {Encoding.UTF8.GetString(body)}");
        if (expected is null)
        {
            return;
        }

        result.Product.ShouldBe(expected.GetValueOrDefault("Product") ?? "");
        result.MessageId.ShouldBe(expected.GetValueOrDefault("MessageId") ?? "");
        Show(result.Date).ShouldBe(expected.GetValueOrDefault("EventDateUtc") is { Length: > 0 } date ? Show(ReferenceKey.Date(date)!.Value) : "");

        // HeaderOnly must accept every body that Full accepts, with the same values.
        BodyRun.Read(body, BodyValidation.HeaderOnly).ShouldBe(result);
    }

    private static string Show(HeaderDate date) => date.HasValue ? $"{date.Year:0000}-{date.Month:00}-{date.Day:00} {date.Hour:00}:{date.Minute:00}:{date.Second:00}" : "";

    private static string Show(DateTime date) => date.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture);

    private static Gen<byte[]> Bodies() =>
        from mark in Gen.Frequency((8, Gen.Constant("")), (1, Gen.Constant("\uFEFF")))
        from body in Gen.Frequency((9, Object(4)), (1, Value(2)))
        from end in Blank
        select Encoding.UTF8.GetBytes(mark + body + end);

    // Removes, replaces or doubles a few bytes: mostly broken, sometimes still valid.
    private static Gen<byte[]> Damaged() =>
        from body in Bodies()
        from damages in (from at in Gen.Choose(0, Math.Max(0, body.Length - 1)) from kind in Gen.Choose(0, 2) from b in Gen.Elements("{}[]\",:\\u019eE.-+ntf \0\x7F\xC3\xFF".Select(c => (byte)c).ToArray()) select (at, kind, b)).ListOf(2)
        select damages.Aggregate(body, (bytes, d) => bytes.Length == 0 ? bytes : d.kind switch
        {
            0 => [.. bytes.Take(d.at), .. bytes.Skip(d.at + 1)],
            1 => [.. bytes.Take(d.at), d.b, .. bytes.Skip(d.at + 1)],
            _ => [.. bytes.Take(d.at), d.b, .. bytes.Skip(d.at)],
        });

    private static Gen<string> Value(int depth)
    {
        Gen<string> scalar = Gen.Frequency(
            (3, Text.Select(t => $"\"{t}\"")),
            (2, Gen.Elements("null", "true", "false", "0", "-1", "1.5", "2E+7", "12e-3")));
        return depth == 0 ? scalar : Gen.Frequency((4, scalar), (1, Array(depth - 1)), (1, Object(depth - 1)));
    }

    private static Gen<string> Array(int depth) =>
        from items in Spaced(Value(depth)).ListOf()
        from blank in Blank
        select "[" + (items.Count == 0 ? blank : string.Join(',', items.Take(4))) + "]";

    private static Gen<string> Object(int depth)
    {
        Gen<string> property =
            from name in Spaced(Name.Select(n => $"\"{n}\""))
            from value in Spaced(Fitting(name, depth))
            select name + ":" + value;
        return
            from properties in property.ListOf()
            from blank in Blank
            select "{" + (properties.Count == 0 ? blank : string.Join(',', properties.Take(5))) + "}";
    }

    // Mostly values that the reader accepts for a used property; otherwise nearly every body would be poison.
    private static Gen<string> Fitting(string name, int depth) => name.Contains("Date", StringComparison.Ordinal)
        ? Gen.Frequency((6, Gen.Elements("\"2019-04-01\"", "\"2019-04-01T10:20:30+02:00\"", "null", "\"\"")), (1, Value(depth)))
        : name.Length > 9 ? Gen.Frequency((6, Text.Select(t => $"\"{t}\"")), (1, Value(depth))) : Value(depth);

    private static Gen<string> Spaced(Gen<string> inner) => from before in Blank from text in inner from after in Blank select before + text + after;
}
