
using System.Text;
using System.Text.Json;
using System.Text.Unicode;
using Quayside.Messaging.Json;

namespace Messaging.Tests.Json;

public sealed class JsonEscapesTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("plain", "plain")]
    [InlineData(@"\""\\\/\b\f\n\r\t", "\"\\/\b\f\n\r\t")]
    [InlineData(@"a\u0041b\u00e9c\u6f22d", "aAbéc漢d")]
    [InlineData(@"\ud83d\ude00", "😀")]
    [InlineData(@"x\uD83D\uDE00\uD83D\uDE00y", "x😀😀y")]
    [InlineData(@"\u0000\u007f", "\0\u007f")]
    [InlineData(@"\\u0041", @"\u0041")]
    [InlineData(@"end\\", @"end\")]
    public void UnescapeInPlace_Escapes_GivesTheirMeaning(string escaped, string expected)
    {
        Unescape(escaped).ShouldBe(Encoding.UTF8.GetBytes(expected));
    }

    [Theory]
    [InlineData(@"\ud800", "ED A0 80")]
    [InlineData(@"\udfff", "ED BF BF")]
    [InlineData(@"a\udbffb", "61 ED AF BF 62")]
    [InlineData(@"\ude00\ud83d", "ED B8 80 ED A0 BD")]
    [InlineData(@"\ud83d\ud83d\ude00", "ED A0 BD F0 9F 98 80")]
    [InlineData(@"\ud83d\n", "ED A0 BD 0A")]
    [InlineData(@"\ud83d\u0041", "ED A0 BD 41")]
    [InlineData(@"\ud83dude00", "ED A0 BD 75 64 65 30 30")]
    public void UnescapeInPlace_LoneSurrogate_GivesBytesThatAreNotUtf8(string escaped, string expectedHex)
    {
        byte[] bytes = Unescape(escaped);

        bytes.ShouldBe(Convert.FromHexString(expectedHex.Replace(" ", "", StringComparison.Ordinal)));
        Utf8.IsValid(bytes).ShouldBeFalse();
    }

    [Fact]
    public void UnescapeInPlace_RandomTexts_AgreesWithUtf8JsonReader()
    {
        Random random = new(20261121);
        Rune[] alphabet = [.. "abc \"\\/\b\f\n\r\t\u0001éß€漢😀\u2028".EnumerateRunes()];
        for (int i = 0; i < 500; i++)
        {
            StringBuilder escaped = new();
            int plain = random.Next(2, 40);
            for (int n = random.Next(200); n > 0; n--)
            {
                if (random.Next(4) == 0)
                {
                    // Runs without escapes around the width of a vector.
                    escaped.Append('p', random.Next(plain));
                }

                Rune rune = alphabet[random.Next(alphabet.Length)];
                foreach (char c in rune.ToString())
                {
                    bool mustEscape = c is < ' ' or '"' or '\\' || rune.Utf16SequenceLength == 2;
                    escaped.Append(mustEscape || random.Next(3) == 0 ? $"\\u{(int)c:x4}" : c.ToString());
                }
            }

            string expected = JsonDocument.Parse($"\"{escaped}\"").RootElement.GetString()!;
            Encoding.UTF8.GetString(Unescape(escaped.ToString())).ShouldBe(expected, $"case {i}: {escaped}");
        }
    }

    [Theory]
    [InlineData("Body", "Body", true)]
    [InlineData(@"B\u006fdy", "Body", true)]
    [InlineData(@"\u0042\u006f\u0064\u0079", "Body", true)]
    [InlineData(@"Bod\\", @"Bod\\", false)]
    [InlineData(@"Bod\ud800", "Body", false)]
    [InlineData(@"\u0042\u006f\u0064\u0079\u0079", "Body", false)]
    [InlineData("", "Body", false)]
    public void IsText_AnotherSpelling_IsTheSame(string escaped, string text, bool expected)
    {
        JsonEscapes.IsText(Encoding.UTF8.GetBytes(escaped), Encoding.UTF8.GetBytes(text)).ShouldBe(expected);
    }

    private static byte[] Unescape(string escaped)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(escaped);
        return bytes[..JsonEscapes.UnescapeInPlace(bytes)];
    }
}
