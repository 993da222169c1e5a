using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Web.Api;

namespace Worker.Tests.Http.Web.Api;

/// <summary>What a live tail shows of a body.</summary>
public sealed class SecretMaskTests
{
    private readonly SecretMask _mask = new(new TailOptions().TailMask);

    [Theory]
    [InlineData("""{"a":1,"b":[true,null,-1.50e3],"c":{"d":"ü \" "}}""", """{"a":1,"b":[true,null,-1.50e3],"c":{"d":"ü \" "}}""")]
    [InlineData("""{"password":"x","Password":1,"db_pass-word":[1],"accessToken":{"a":"x"},"API_KEY":null,"after":1}""", """{"password":"***","Password":"***","db_pass-word":"***","accessToken":"***","API_KEY":"***","after":1}""")]
    [InlineData("""[{"name":"Authorization","value":"x"},{"name":"tenant","value":"y"}]""", """[{"name":"Authorization","value":"***"},{"name":"tenant","value":"y"}]""")]
    [InlineData("""{"Message":"{\"token\":\"x\",\"a\":1}"}""", """{"Message":"{\"token\":\"***\",\"a\":1}"}""")]
    [InlineData("""{"Message":"{\"token\":\"x"}""", """{"Message":"***"}""")]
    [InlineData("""{"h":"Bearer abc.def","url":"https://h/p?a=1&access_token=x&b=2","db":"Server=a;Password=x;User=b"}""", """{"h":"Bearer ***","url":"https://h/p?a=1&access_token=***","db":"Server=a;Password=***"}""")]
    [InlineData("""{"url":"see https://a/b and https://user:word@host/path"}""", """{"url":"see https://a/b and https://***"}""")]
    [InlineData("[]", "[]")]
    [InlineData("plain text, time: 10:00", "\"plain text, time: 10:00\"")]
    [InlineData("Authorization: Basic abc", "\"Authorization:***\"")]
    [InlineData("", "\"\"")]
    public void Write_Whole_MasksSecretsAndKeepsTheRest(string body, string expected) => Write(Encoding.UTF8.GetBytes(body), isWhole: true).ShouldBe((expected, true));

    [Theory]
    [InlineData("""{"a":1,"b":"cut he""", """{"a":1}""")]
    [InlineData("""{"a":[1,{"b":"x","c":""", """{"a":[1,{"b":"x"}]}""")]
    [InlineData("""{"a":1,"password":{"b":"x""", """{"a":1,"password":"***"}""")]
    [InlineData("user=a&password=x", "\"user=a&password=***\"")]
    public void Write_Beginning_ShowsWhatIsWhole(string body, string expected) => Write(Encoding.UTF8.GetBytes(body), isWhole: false).ShouldBe((expected, false));

    [Theory]
    [InlineData("""{"a":1 "b":"x"}""", """{"a":1}""")]
    [InlineData("""{"a":1}{"b":2}""", """{"a":1}""")]
    [InlineData("""{"a":"\ud800","b":2}""", "{}")]
    [InlineData("{broken", "{}")]
    public void Write_NoJsonFromSomewhereOn_ShowsItsBeginning(string body, string expected) => Write(Encoding.UTF8.GetBytes(body), isWhole: true).ShouldBe((expected, false));

    [Fact]
    public void Write_TextThatIsSplitWithinACharacter_ShowsTheOthers() => Write("aü"u8[..2].ToArray(), isWhole: false).ShouldBe(("\"a\"", false));

    [Theory]
    [InlineData(new byte[] { 1, 0, 2 })]
    [InlineData(new byte[] { 0x61, 0xFF, 0x61 })]
    public void Write_NoText_ShowsNothing(byte[] body) => Write(body, isWhole: true).ShouldBe(("null", false));

    [Fact]
    public void Write_NestedDeeperThanItLooks_ShowsNothingOfIt()
    {
        string value = """{"token":"x"}""";
        for (int i = 0; i < 6; i++)
        {
            value = JsonSerializer.Serialize(new Dictionary<string, string> { ["m"] = value });
        }

        (string text, bool isWhole) = Write(Encoding.UTF8.GetBytes(value), isWhole: true);

        text.ShouldContain("***");
        text.ShouldNotContain("token");
        isWhole.ShouldBeTrue();
        string deep = new string('[', 70) + new string(']', 70);
        Write(Encoding.UTF8.GetBytes(deep), isWhole: true).ShouldBe((new string('[', 64) + new string(']', 64), false));
    }

    private (string Text, bool IsWhole) Write(byte[] body, bool isWhole)
    {
        ArrayBufferWriter<byte> text = new();
        using Utf8JsonWriter json = new(text, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
        bool all = _mask.Write(json, body, isWhole);
        json.Flush();
        return (Encoding.UTF8.GetString(text.WrittenSpan), all);
    }
}
