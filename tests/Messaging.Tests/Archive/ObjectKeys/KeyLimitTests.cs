using System.Security.Cryptography;
using System.Text;
using Quayside.Messaging.Archive.ObjectKeys;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>A limit of a placeholder's own: longer values are cut, and still differ when they were different.</summary>
public sealed class KeyLimitTests
{
    private const int Limit = 40;

    [Theory]
    [InlineData("{p:keep:40}", "Abc-", "Abc-Ab")]
    [InlineData("{p:lower:40}", "Abc-", "abc-ab")]
    [InlineData("{p:40}", "Abc ", "abc_ab")]
    [InlineData("{p:encode:40}", "Abc-", "Abc-Ab")]
    [InlineData("{p:encode:40}", "A/", "A=2fA")]
    [InlineData("{p:any:40}", "Abc-", "Abc-Ab")]
    public void Key_LongerValue_IsCutAndEndsWithAHash(string placeholder, string piece, string start)
    {
        string value = string.Concat(Enumerable.Repeat(piece, Limit));

        string part = Part(placeholder, value);

        part.ShouldBe(start + "==" + Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(value)))[..32]);
        part.Length.ShouldBeLessThanOrEqualTo(Limit);
    }

    [Theory]
    [InlineData("{p:keep:40}")]
    [InlineData("{p:encode:40}")]
    [InlineData("{p:any:40}")]
    public void Key_ValueOfTheLimit_IsUnchanged(string placeholder)
    {
        string value = new('v', Limit);

        Part(placeholder, value).ShouldBe(value);
        Part(placeholder, value + "v").ShouldNotBe(value);
    }

    [Theory]
    [InlineData("Default", "invalid")]
    [InlineData("Encode", "a=2fa")]
    public void Key_LongerValueThatDoesNotFit_FollowsInvalidValue(string rule, string start) =>
        Part("{p:keep:40}", string.Concat(Enumerable.Repeat("a/", Limit)), Enum.Parse<InvalidValueRule>(rule)).ShouldStartWith(start);

    [Fact]
    public void Key_LongValuesThatDifferAtTheEnd_HaveDifferentParts()
    {
        HashSet<string> parts = new(StringComparer.Ordinal);
        foreach (string placeholder in (string[])["{p:keep:40}", "{p:encode:40}", "{p:40}"])
        {
            parts.Clear();
            for (int i = 0; i < 1_000; i++)
            {
                parts.Add(Part(placeholder, $"{new string('v', 200)}{i}"));
            }

            parts.Count.ShouldBe(1_000);
        }
    }

    [Fact]
    public void Compile_SevenPropertiesWithLimits_Fit()
    {
        string seven = string.Concat(Enumerable.Range(0, 7).Select(i => $"{{p{i}:keep:64}}/"));

        KeyRun.Compile(new ArchiveOptions { Template = seven + "{MessageId}" }).LongestKeyBytes.ShouldBe((7 * 65) + 128);
    }

    [Fact]
    public void Key_UpperCaseInFixedText_IsKept() =>
        KeyRun
            .Key("""{"MessageId":"m"}""", options: new ArchiveOptions { Template = "AWSLogs/{MessageId}.JSON", KeyPrefix = "Prod" })
            .ShouldBe("Prod/AWSLogs/m.JSON");

    [Theory]
    [InlineData("\"42\"", "42")]
    [InlineData("42", "42")]
    [InlineData("\"A\"", "=41")]
    [InlineData("1e3", "1e3")]
    public void Key_IdOfAnyKind_IsTakenAsText(string id, string expected) =>
        KeyRun
            .Key($$$"""{"event":{"id":{{{id}}}}}""", options: new ArchiveOptions { Template = "x/{MessageId}", MessageIdProperty = "event.id:any" })
            .ShouldBe("x/" + expected);

    private static string Part(string placeholder, string value, InvalidValueRule rule = InvalidValueRule.Default) =>
        KeyRun.Key($$"""{"p":"{{value}}","MessageId":"m"}""", options: new ArchiveOptions { Template = placeholder + "/{MessageId}", InvalidValue = rule })[
            ..^2];
}
