using System.Text;
using System.Text.RegularExpressions;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Aws.S3;

public sealed partial class S3PropertyRulesTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("plain text, = ; ~", "plain text, = ; ~")]
    [InlineData("a  b", "a  b")]
    [InlineData("Zürich", "=?UTF-8?B?WsO8cmljaA==?=")]
    [InlineData(" a", "=?UTF-8?B?IGE=?=")]
    [InlineData("a ", "=?UTF-8?B?YSA=?=")]
    [InlineData("a\r\nx-amz-acl: public-read", "=?UTF-8?B?YQ0KeC1hbXotYWNsOiBwdWJsaWMtcmVhZA==?=")]
    [InlineData("\0", "=?UTF-8?B?AA==?=")]
    public void EncodeMetadata_Value_IsWhatAHeaderCarries(string value, string header) => S3PropertyRules.EncodeMetadata(value).ShouldBe(header);

    [Fact]
    public void EncodeMetadata_RandomText_IsWordsOfRfc2047ThatDecodeToIt()
    {
        Random random = new(4715);
        Rune[] alphabet = [.. "ab \t\n=?ü漢😀".EnumerateRunes()];
        for (int i = 0; i < 500; i++)
        {
            string value = "ü" + string.Concat(Enumerable.Range(0, random.Next(200)).Select(_ => alphabet[random.Next(alphabet.Length)].ToString()));

            string[] words = S3PropertyRules.EncodeMetadata(value).Split(' ');

            words.ShouldAllBe(word => word.Length <= 75 && Word().IsMatch(word));
            string
                .Concat(words.Select(word => new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(Convert.FromBase64String(word[10..^2]))))
                .ShouldBe(value, "Each word holds whole characters.");
        }
    }

    [Theory]
    [InlineData("", "", false, false)]
    [InlineData("a b+-=._:/@", "a b+-=._:/@", false, false)]
    [InlineData("größe 漢字 ½", "größe 漢字 ½", false, false)]
    [InlineData("a;b&c", "a_b_c", true, false)]
    [InlineData("😀", "_", true, false)]
    [InlineData("a\u0000\u001b", "a__", true, false)]
    public void CleanTag_Value_HasOnlyCharactersOfS3(string value, string clean, bool replaced, bool cut)
    {
        S3PropertyRules.CleanTag(value, out bool wasReplaced, out bool wasCut).ShouldBe(clean);
        (wasReplaced, wasCut).ShouldBe((replaced, cut));
    }

    [Fact]
    public void CleanTag_HalfASurrogatePair_IsReplaced() => S3PropertyRules.CleanTag($"a{'\ud800'}b", out _, out _).ShouldBe("a_b");

    [Theory]
    [InlineData(256, 0, 256, false)]
    [InlineData(257, 0, 256, true)]
    [InlineData(255, 1, 255, true)]
    [InlineData(254, 1, 256, false)]
    public void CleanTag_LongValue_IsCutBetweenCharacters(int letters, int supplementary, int length, bool cut)
    {
        string value = new string('a', letters) + string.Concat(Enumerable.Repeat("\ud840\udc00", supplementary));

        string clean = S3PropertyRules.CleanTag(value, out bool replaced, out bool wasCut);

        (clean, replaced, wasCut).ShouldBe((value[..length], false, cut));
    }

    [Fact]
    public void CleanTag_RandomText_IsATagThatHasNoProblem()
    {
        Random random = new(4716);
        Rune[] alphabet = [.. "ab ;&\n\u0000ü漢😀".EnumerateRunes()];
        for (int i = 0; i < 300; i++)
        {
            string value = string.Concat(Enumerable.Range(0, random.Next(400)).Select(_ => alphabet[random.Next(alphabet.Length)].ToString()));

            string clean = S3PropertyRules.CleanTag(value, out bool replaced, out bool cut);

            S3PropertyRules.FindProblems([new("k", clean)], ObjectPropertyKind.Tag).ShouldBeEmpty();
            (clean == value).ShouldBe(!replaced && !cut);
        }
    }

    [GeneratedRegex(@"^=\?UTF-8\?B\?[A-Za-z0-9+/]+={0,2}\?=$")]
    private static partial Regex Word();
}
