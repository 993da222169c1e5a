using System.Text;
using Messaging.Tests.Archive.ObjectKeys;
using Quayside.Messaging.Archive.Headers;

namespace Messaging.Tests.Archive.Headers;

/// <summary>Values below the top level, found in one pass under every rule.</summary>
public sealed class NestedPathTests
{
    private static readonly BodyValidation[] Rules = Enum.GetValues<BodyValidation>();

    public static TheoryData<string, string> Found => new()
    {
        { """{"tenant":{"id":"t"},"order":{"lines":[{"sku":"s"}]},"id":"m"}""", "t/s/m" },
        { """{"id":"m","order":{"x":{"lines":[{"sku":"no"}]},"lines":[{"a":1,"sku":"s"},{"sku":"t"}]},"tenant":{"name":"n","id":"t"}}""", "t/s/m" },
        { """{"id":"m","tenant":{"x":{"id":"no"},"id":"t","y":[{"id":"no"}]},"a":[{"tenant":{"id":"no"}}],"order":{"lines":[{"sku":"s"}]}}""", "t/s/m" },
        { " { \"tenant\" : { \"id\" : \"t\" } , \"order\" :\n{ \"lines\"\t: [ { \"sku\" : \"s\" } , 2 ] } , \"id\" : \"m\" } ", "t/s/m" },
        { """{"t\u0065nant":{"\u0069d":"\u0074"},"order":{"lin\u0065s":[{"sku":"s"}]},"id":"m"}""", "t/s/m" },
        { """{"id":"m"}""", "unknown/unknown/m" },
        { """{"id":"m","tenant":null,"order":null}""", "unknown/unknown/m" },
        { """{"id":"m","tenant":{},"order":{}}""", "unknown/unknown/m" },
        { """{"id":"m","tenant":{"id":null},"order":{"lines":[]}}""", "unknown/unknown/m" },
        { """{"id":"m","tenant":{"id":""},"order":{"lines":[null]}}""", "unknown/unknown/m" },
        { """{"id":"m","tenant":{"ID":"t"},"order":{"lines":[{}]}}""", "unknown/unknown/m" },
    };

    public static TheoryData<string, string> Poisons => new()
    {
        { """{"tenant":"t","id":"m"}""", "wrong-type at byte 10, property \"tenant\"" },
        { """{"tenant":1}""", "wrong-type at byte 10, property \"tenant\"" },
        { """{"tenant":[]}""", "wrong-type at byte 10, property \"tenant\"" },
        { """{"tenant":{"id":1}}""", "wrong-type at byte 16, property \"tenant.id\"" },
        { """{"tenant":{"id":{"id":"t"}}}""", "wrong-type at byte 16, property \"tenant.id\"" },
        { """{"order":{"lines":{}}}""", "wrong-type at byte 18, property \"order.lines\"" },
        { """{"order":{"lines":["s"]}}""", "wrong-type at byte 19, property \"order.lines[0]\"" },
        { """{"order":{"lines":[{"sku":2}]}}""", "wrong-type at byte 26, property \"order.lines[0].sku\"" },
        { """{"tenant":{"id":"a"},"tenant":{}}""", "duplicate-property at byte 21, property \"tenant\"" },
        { """{"tenant":null,"tenant":{"id":"a"}}""", "duplicate-property at byte 15, property \"tenant\"" },
        { """{"tenant":{"id":"a","x":1,"\u0069d":"b"}}""", "duplicate-property at byte 26, property \"tenant.id\"" },
        { """{"tenant":{"id":"a"}""", "malformed-json at byte 20, property \"tenant\"" },
        { """{"tenant":{"id":"a",}}""", "malformed-json at byte 20, property \"tenant\"" },
        { """{"tenant":{"id" "a"}}""", "malformed-json at byte 16, property \"tenant\"" },
        { """{"tenant":{"id":tru}}""", "malformed-json at byte 16, property \"tenant\"" },
        { """{"order":{"lines":[,]}}""", "malformed-json at byte 19, property \"order\"" },
        { """{"order":{"lines":[{"sku":"s"},]}}""", "malformed-json at byte 31, property \"order\"" },
        { """{"order":{"lines":[{"sku":"s"} 1]}}""", "malformed-json at byte 31, property \"order\"" },
        { """{"order":{"lines":[{"sku":"s"}}}""", "malformed-json at byte 30, property \"order\"" },
        { """{"tenant":{"id":"\ud800"}}""", "lone-surrogate at byte 17, property \"tenant\"" },
    };

    [Theory]
    [MemberData(nameof(Found))]
    public void TryRead_Paths_AreFoundUnderEveryRule(string body, string expected)
    {
        foreach (BodyValidation rule in Rules)
        {
            Run(body, rule).Key.ShouldBe(expected, rule.ToString());
        }
    }

    [Theory]
    [MemberData(nameof(Poisons))]
    public void TryRead_Poison_NamesThePath(string body, string expected) => Run(body).Poison.ToString().ShouldBe(expected);

    [Theory]
    [InlineData("""{"id":"m","tenant":{"id":"t"},"order":{"lines":[{"sku":"s" """, true)]
    [InlineData("""{"id":"m","tenant":{"id":"t"},"order":{"lines":[{"sku":"s"},,,""", true)]
    [InlineData("""{"id":"m","tenant":{"id":"t"},"order":null""", true)]
    [InlineData("""{"id":"m","tenant":{"id":"t"},"order":{}""", true)]
    [InlineData("""{"id":"m","tenant":{"id":"t"},"order":{"lines":[]""", true)]
    [InlineData("""{"id":"m","order":{"lines":[{"sku":"s"}]},"tenant":{"x":1}""", true)]
    [InlineData("""{"id":"m","order":{"lines":[{"sku":"s"}]},"tenant":{"x":1""", false)]
    [InlineData("""{"id":"m","order":{"lines":[{"sku":"s"}]}""", false)]
    [InlineData("""{"tenant":{"id":"t"},"order":{"lines":[{"sku":"s"}]}""", false)]
    public void TryRead_HeaderOnly_StopsWhenNothingMoreCanCome(string body, bool isEnough)
    {
        (Run(body, BodyValidation.HeaderOnly).Key is not null).ShouldBe(isEnough);
        Run(body).Poison.Reason.ShouldBe(PoisonReason.MalformedJson);
    }

    [Fact]
    public void TryRead_HeaderOnlyCutInANumber_IsMalformed()
    {
        KeyTemplateOptionsOf options = new("{n:number}/{MessageId}");
        foreach (string tail in new[] { "", " ", "x", "e" })
        {
            options.Run("""{"MessageId":"m","n":12""" + tail).Poison.Reason.ShouldBe(PoisonReason.MalformedJson, tail);
        }

        options.Run("""{"MessageId":"m","n":12,""").Key.ShouldBe("12/m");
        options.Run("""{"MessageId":"m","n":true }""").Key.ShouldBe("true/m");
    }

    [Fact]
    public void TryRead_ElementsByIndex_AreCounted()
    {
        KeyTemplateOptionsOf options = new("{a[0]}{a[2]}/{a[3].b}/{a[10]}/{MessageId}");

        options.Run("""{"MessageId":"m","a":["p",[1,2],"q",{"b":"r"},4,5,6,7,8,9,"s",11]}""").Key.ShouldBe("pq/r/s/m");
        options.Run("""{"MessageId":"m","a":["p",{"a":["x"]},"q"]}""").Key.ShouldBe("pq/unknown/unknown/m");
    }

    [Fact]
    public void TryRead_DeepestPath_IsFoundAtTheLimit()
    {
        string path = string.Join('.', Enumerable.Repeat("a", 64));
        KeyTemplateOptionsOf options = new("{" + path + "}/{MessageId}");
        string open = string.Concat(Enumerable.Repeat("{\"a\":", 63));
        string close = new('}', 63);

        options.Run($"{{\"MessageId\":\"m\",\"a\":{open}\"v\"{close}}}").Key.ShouldBe("v/m");
        options.Run($"{{\"MessageId\":\"m\",\"a\":{open}{{}}{close}}}").Poison.Reason.ShouldBe(PoisonReason.TooDeep);
    }

    [Theory]
    [InlineData("""{"ts":1795305600}""", "epoch", "2026/11/22/00")]
    [InlineData("""{"ts":"1795305600"}""", "epoch", "2026/11/22/00")]
    [InlineData("""{"ts":1795305600.987}""", "epoch", "2026/11/22/00")]
    [InlineData("""{"ts":1795305600123}""", "epochms", "2026/11/22/00")]
    [InlineData("""{"ts":0}""", "epoch", "1970/01/01/00")]
    [InlineData("""{"ts":-0.5}""", "epoch", "1969/12/31/23")]
    [InlineData("""{"ts":-1}""", "epochms", "1969/12/31/23")]
    [InlineData("""{"ts":253402300799}""", "epoch", "9999/12/31/23")]
    [InlineData("""{"ts":253402300800}""", "epoch", null)]
    [InlineData("""{"ts":-62135596800}""", "epoch", "")]
    [InlineData("""{"ts":-62135596799}""", "epoch", "0001/01/01/00")]
    [InlineData("""{"ts":-62135596801}""", "epoch", null)]
    [InlineData("""{"ts":1e9}""", "epoch", null)]
    [InlineData("""{"ts":"+1"}""", "epoch", null)]
    [InlineData("""{"ts":"1."}""", "epoch", null)]
    [InlineData("""{"ts":"2026-11-22"}""", "epoch", null)]
    [InlineData("""{"ts":1234567890123456789}""", "epoch", null)]
    [InlineData("""{"ts":null}""", "epoch", "")]
    [InlineData("""{"ts":""}""", "epochms", "")]
    public void TryRead_Epoch_IsADateOrBadDate(string body, string kind, string? expected)
    {
        KeyTemplateOptionsOf options = new("{ts:" + kind + ":yyyy/MM/dd/HH}/{MessageId}");

        (string? key, Poison poison) = options.Run(body[..^1] + ""","MessageId":"m"}""");

        key.ShouldBe(expected is null ? null : expected.Length == 0 ? "m" : expected + "/m");
        poison.Reason.ShouldBe(expected is null ? PoisonReason.BadDate : null);
    }

    [Theory]
    [InlineData("true")]
    [InlineData("false")]
    [InlineData("{}")]
    [InlineData("[1]")]
    public void TryRead_EpochOfAnotherKind_IsAWrongType(string value) =>
        new KeyTemplateOptionsOf("{ts:epoch:yyyy}/{MessageId}").Run($"{{\"ts\":{value},\"MessageId\":\"m\"}}").Poison.Reason.ShouldBe(PoisonReason.WrongType);

    [Theory]
    [InlineData("0001-01-01T00:00:00")]
    [InlineData("0001-01-01T00:00:00Z")]
    [InlineData("0001-01-01T00:00:00.0000000+00:00")]
    [InlineData("0001-01-01")]
    public void TryRead_DefaultOfDateTime_IsNoDate(string date) =>
        KeyRun.Key($$"""{"EventDateUtc":"{{date}}","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m"}""").ShouldBe("p/s/e/m.json");

    [Fact]
    public void TryRead_FirstSecondAfterDefaultOfDateTime_IsADate() =>
        KeyRun
            .Key("""{"EventDateUtc":"0001-01-01T00:00:01","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m"}""")
            .ShouldBe("p/s/e/0001/01/01/00/m.json");

    [Fact]
    public void TryRead_NumberOrString_MustMatchTheRule()
    {
        KeyTemplateOptionsOf options = new("{n:number}/{MessageId}", "id:number");

        options.Run("""{"n":1.50,"id":42}""").Key.ShouldBe("1.50/42");
        options.Run("""{"n":false,"id":-1e+9}""").Key.ShouldBe("false/-1e=2b9");
        options.Run("""{"n":null,"id":42}""").Key.ShouldBe("unknown/42");
        options.Run("""{"n":"1","id":42}""").Poison.ToString().ShouldBe("wrong-type at byte 5, property \"n\"");
        options.Run("""{"n":[1],"id":42}""").Poison.ToString().ShouldBe("wrong-type at byte 5, property \"n\"");
        options.Run("""{"n":1,"id":"42"}""").Poison.ToString().ShouldBe("wrong-type at byte 12, property \"id\"");
        options.Run("""{"n":01,"id":42}""").Poison.Reason.ShouldBe(PoisonReason.MalformedJson);
        options.Run("""{"n":1,"id":null}""").Poison.ToString().ShouldBe("missing-id at byte 0, property \"id\"");
    }

    private static (string? Key, Poison Poison) Run(string body, BodyValidation validation = BodyValidation.Full) =>
        new KeyTemplateOptionsOf("{tenant.id}/{order.lines[0].sku}/{MessageId}", "id").Run(body, validation);

    private sealed record KeyTemplateOptionsOf(string Template, string Id = "MessageId")
    {
        public (string? Key, Poison Poison) Run(string body) => Run(body, body.EndsWith('}') ? BodyValidation.Full : BodyValidation.HeaderOnly);

        public (string? Key, Poison Poison) Run(string body, BodyValidation validation) =>
            KeyRun.Run(Encoding.UTF8.GetBytes(body), [], KeyRun.Compile(new() { Template = Template, MessageIdProperty = Id }), validation);
    }
}
