using System.Text;
using Quayside.Messaging.Archive.Headers;

namespace Messaging.Tests.Archive.Headers;

public sealed class ArchiveHeaderReaderTests
{
    private static readonly BodyValidation[] Rules = Enum.GetValues<BodyValidation>();

    public static TheoryData<string, string> Poisons => new()
    {
        { "", "empty-body at byte 0" },
        { " \t\r\n", "empty-body at byte 4" },
        { "\uFEFF", "empty-body at byte 3" },
        { "[]", "not-an-object at byte 0" },
        { " \"text\"", "not-an-object at byte 1" },
        { "[1,2]", "not-an-object at byte 0" },
        { "[1,", "malformed-json at byte 3" },
        { "[1] 2", "trailing-data at byte 4" },
        { "nul", "malformed-json at byte 0" },
        { "{", "malformed-json at byte 1" },
        { "{}x", "trailing-data at byte 2" },
        { "{}\0", "trailing-data at byte 2" },
        { "{} {}", "trailing-data at byte 3" },
        { "{\"Product\":\"p\"}\uFEFF", "trailing-data at byte 15" },
        { "\uFEFF\uFEFF{}", "malformed-json at byte 3" },
        { "{\"Product\":1}", "wrong-type at byte 11, property \"Product\"" },
        { "{\"Product\":true}", "wrong-type at byte 11, property \"Product\"" },
        { "{\"Product\":false}", "wrong-type at byte 11, property \"Product\"" },
        { "{\"Product\":{}}", "wrong-type at byte 11, property \"Product\"" },
        { "{\"Product\":[\"p\"]}", "wrong-type at byte 11, property \"Product\"" },
        { "{\"Product\":[\"p\"}", "malformed-json at byte 15, property \"Product\"" },
        { "{\"Product\":nulL}", "malformed-json at byte 11, property \"Product\"" },
        { "{\"MessageId\":12345}", "wrong-type at byte 13, property \"MessageId\"" },
        { "{\"EventDateUtc\":1554112800}", "wrong-type at byte 16, property \"EventDateUtc\"" },
        { "{\"EventDateUtc\":\"yesterday\"}", "bad-date at byte 16, property \"EventDateUtc\"" },
        { "{\"Product\":\"a\",\"Product\":\"a\"}", "duplicate-property at byte 15, property \"Product\"" },
        { "{\"Product\":null,\"Product\":null}", "duplicate-property at byte 16, property \"Product\"" },
        { "{\"Product\":\"a\",\"Pro\\u0064uct\":\"b\"}", "duplicate-property at byte 15, property \"Product\"" },
        { "{\"x\":\"\\ud800\",\"Product\":\"p\"}", "lone-surrogate at byte 6, property \"x\"" },
        { "{\"x\":[{\"\\udc00\":1}]}", "lone-surrogate at byte 8, property \"x\"" },
        { "{\"\\ud800\":1}", "lone-surrogate at byte 2" },
        { "{\"x\":1 \"y\":2}", "malformed-json at byte 7, property \"x\"" },
    };

    [Theory]
    [MemberData(nameof(Poisons))]
    public void TryRead_Poison_SaysWhyAndWhere(string body, string expected) => BodyRun.Read(body).Poison.ToString().ShouldBe(expected);

    [Fact]
    public void TryRead_InvalidUtf8Anywhere_IsPoisonBeforeAnythingElse()
    {
        byte[] body = [.. "{\"x\":\""u8, 0xC0, 0xAF, .. "\",,,"u8];

        BodyRun.Read(body).Poison.ToString().ShouldBe("invalid-utf8 at byte 6");
        BodyRun.Read(body, BodyValidation.HeaderOnly).Code.ShouldBe("malformed-json");
    }

    [Fact]
    public void TryRead_AnyOrderOfProperties_FindsAll()
    {
        string[] texts =
            ["\"Product\":\"p\"", "\"EventDateUtc\":\"2019-04-01T10:00:00Z\"", "\"MessageId\":\"m\"", "\"Other\":{\"Product\":\"no\",\"MessageId\":[1]}"];
        foreach (string[] order in Permutations(texts))
        {
            foreach (BodyValidation rule in Rules)
            {
                BodyRun.Read("{" + string.Join(',', order) + "}", rule)
                    .ShouldBe(new BodyResult(default, "p", new HeaderDate(2019, 4, 1, 10, 0, 0), "m"));
            }
        }
    }

    [Theory]
    [InlineData("{\"Product\":\"p\",\"MessageId\":\"m\"}")]
    [InlineData("\uFEFF{\"Product\":\"p\",\"MessageId\":\"m\"}")]
    [InlineData("\uFEFF\r\n\t {\r\n\t\"Product\" \n:\t\"p\" ,\r \"MessageId\"\n: \"m\"\t}\n ")]
    [InlineData("{\"Pro\\u0064uct\":\"\\u0070\",\"\\u004dessageI\\u0064\":\"m\"}")]
    [InlineData("{\"product\":1,\"PRODUCT\":2,\"Product \":3,\"Produc\":4,\"Product\\u0000\":5,\"Product\":\"p\",\"MessageId\":\"m\"}")]
    [InlineData("{\"a\":{\"Product\":\"x\"},\"b\":[{\"Product\":\"y\",\"Product\":\"z\"}],\"Product\":\"p\",\"MessageId\":\"m\"}")]
    [InlineData("{\"x\":1,\"x\":2,\"Product\":\"p\",\"MessageId\":\"m\"}")]
    public void TryRead_ValidForms_FindTheSameValues(string body)
    {
        BodyRun.Read(body).ShouldBe(new BodyResult(default, "p", default, "m"));
        BodyRun.Read(body, BodyValidation.HeaderOnly).ShouldBe(new BodyResult(default, "p", default, "m"));
    }

    [Fact]
    public void TryRead_EveryEscape_IsDecoded() =>
        BodyRun.Read("""{"Product":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\uDE00\u0000.","MessageId":"a\\u0041"}""")
            .ShouldBe(new BodyResult(default, "\"\\/\b\f\n\r\tA\u00E9\u20AC\U0001F600\0.", default, "a\\u0041"));

    [Fact]
    public void TryRead_HeaderOnly_StopsWhenEverythingWasFound()
    {
        const string Found = "{\"Product\":\"p\",\"EventDateUtc\":null,\"MessageId\":\"m\"";
        foreach (string tail in new[] { "", "}", ",\"Product\":2}", ",,,", "\0", "}}}", ",\"x\":\"\\ud800\"}" })
        {
            BodyRun.Read(Found + tail, BodyValidation.HeaderOnly).ShouldBe(new BodyResult(default, "p", default, "m"));
            BodyRun.Read(Found + tail).Code.ShouldBe(tail switch
            {
                "}" => "",
                ",\"Product\":2}" => "duplicate-property",
                "}}}" => "trailing-data",
                ",\"x\":\"\\ud800\"}" => "lone-surrogate",
                _ => "malformed-json",
            });
        }
    }

    [Fact]
    public void TryRead_HeaderOnlyWithAPropertyMissing_ReadsToTheEndOfTheObject()
    {
        BodyRun.Read("{\"Product\":\"p\"} tail", BodyValidation.HeaderOnly).Product.ShouldBe("p");
        BodyRun.Read("{\"Product\":\"p\",", BodyValidation.HeaderOnly).Code.ShouldBe("malformed-json");
        BodyRun.Read("{\"x\":\"\\ud800\",\"\\udc00\":\"\\udc00\",\"Product\":\"p\"}", BodyValidation.HeaderOnly).Product.ShouldBe("p");
    }

    [Fact]
    public void TryRead_DuplicatesThatTheKeyDoesNotUse_AreValid() =>
        BodyRun.Read("{\"a\":1,\"\\u0061\":2,\"x\":[0,{\"b\":1,\"b\":3}]}").Code.ShouldBe("");

    [Fact]
    public void TryRead_ReusedHeader_HasNothingOfThePreviousMessage()
    {
        var header = new ArchiveHeader();
        var reader = new ArchiveHeaderReader(BodyRun.Properties);
        reader.TryRead("{\"Product\":\"p\\n\",\"EventDateUtc\":\"2019-04-01\",\"MessageId\":\"m\"}"u8.ToArray(), header, out _).ShouldBeTrue();
        reader.TryRead("{\"MessageId\":1}"u8.ToArray(), header, out _).ShouldBeFalse();
        reader.TryRead("{}"u8.ToArray(), header, out _).ShouldBeTrue();

        header.Text(0).Length.ShouldBe(0);
        header.Date(1).HasValue.ShouldBeFalse();
        header.Text(2).Length.ShouldBe(0);
        header.Reset();
    }

    [Fact]
    public void TryRead_LongEscapedName_IsNoUsedName()
    {
        string name = string.Concat(Enumerable.Repeat("\\u0041", 1_000));

        BodyRun.Read($"{{\"{name}\":1,\"Product\":\"p\"}}").Product.ShouldBe("p");
    }

    [Fact]
    public void TryRead_PropertyNameInAReport_IsShortAndPrintable()
    {
        string name = "\u202E\u0007\U0001F600" + new string('n', 300);

        string? shown = BodyRun.Read(Encoding.UTF8.GetBytes($"{{\"{name.Replace("\u0007", "\\u0007")}\":x}}")).Poison.Property;

        shown.ShouldBe("\\u202e\\u0007\U0001F600" + new string('n', 256 - 8) + "\u2026");
    }

    private static IEnumerable<string[]> Permutations(string[] items) => items.Length <= 1
        ? [items]
        : items.SelectMany(first => Permutations([.. items.Where(i => i != first)]).Select(rest => (string[])[first, .. rest]));
}
