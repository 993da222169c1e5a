using System.Security.Cryptography;
using System.Text;
using Quayside.Messaging.Archive.ObjectKeys;

namespace Messaging.Tests.Archive.ObjectKeys;

public sealed class KeyPartTests
{
    [Theory]
    [InlineData(" ", "_")]
    [InlineData("   ", "___")]
    [InlineData(" a ", "_a_")]
    [InlineData("My Product", "my_product")]
    [InlineData("A_b 9", "a_b_9")]
    [InlineData("a\tb", null)]
    [InlineData("a-b", null)]
    [InlineData("a.b", null)]
    [InlineData("a/b", null)]
    [InlineData("caf\u00E9", null)]
    [InlineData("unknown", "unknown")]
    public void TryWrite_Value_FollowsTheRuleOfTheSeed(string value, string? expected) => Write(KeyRule.Seed, value).ShouldBe(expected);

    [Theory]
    [InlineData("acme-corp", "acme-corp")]
    [InlineData("Acme_9.x", "Acme_9.x")]
    [InlineData("0F8FAD5B-d9cb-469f-a165-70867728950e", "0F8FAD5B-d9cb-469f-a165-70867728950e")]
    [InlineData("a b", null)]
    [InlineData(".", null)]
    [InlineData("..", null)]
    [InlineData(".tmp", null)]
    [InlineData("a.", null)]
    [InlineData("a..b", "a..b")]
    [InlineData("a/b", null)]
    [InlineData("a=b", null)]
    [InlineData("caf\u00E9", null)]
    public void TryWrite_Keep_KeepsOrDoesNotFit(string value, string? expected)
    {
        Write(KeyRule.Keep, value).ShouldBe(expected);
        Write(KeyRule.Lower, value).ShouldBe(expected?.ToLowerInvariant());
    }

    [Theory]
    [InlineData("acme-corp", "acme-corp")]
    [InlineData("Acme Corp", "Acme=20Corp")]
    [InlineData("=41", "=3d41")]
    [InlineData(".", "=2e")]
    [InlineData(".tmp", "=2etmp")]
    [InlineData("/a/../b", "=2fa=2f..=2fb")]
    [InlineData("caf\u00E9", "caf=c3=a9")]
    [InlineData("\0", "=00")]
    [InlineData("unknown", "=75nknown")]
    [InlineData("Unknown", "Unknown")]
    [InlineData("invalid", "invalid")]
    public void TryWrite_Encode_EscapesWhatDoesNotFit(string value, string expected) => Write(KeyRule.Encode, value).ShouldBe(expected);

    [Theory]
    [InlineData("1", "1")]
    [InlineData("-1.5", "-1.5")]
    [InlineData("1E+5", "1E=2b5")]
    [InlineData("true", "true")]
    public void TryWrite_Number_WritesItsText(string value, string expected) => Write(KeyRule.Number, value).ShouldBe(expected);

    [Fact]
    public void TryWrite_EveryByteAlone_IsKeptLoweredOrDoesNotFit()
    {
        for (int b = 0; b < 256; b++)
        {
            string? expected = b switch
            {
                ' ' => "_",
                '_' or (>= '0' and <= '9') or (>= 'a' and <= 'z') => ((char)b).ToString(),
                >= 'A' and <= 'Z' => ((char)(b + 32)).ToString(),
                _ => null,
            };
            Write(KeyRule.Seed, [(byte)b]).ShouldBe(expected);
            Write(KeyRule.Seed, [(byte)'a', (byte)b, (byte)'z']).ShouldBe(expected is null ? null : "a" + expected + "z");

            char c = (char)b;
            bool isKept = char.IsAsciiLetterOrDigit(c) || c is '_' or '-' or '.';
            Write(KeyRule.Keep, [(byte)'a', (byte)b, (byte)'z']).ShouldBe(isKept ? $"a{c}z" : null);
            Write(KeyRule.Lower, [(byte)'a', (byte)b, (byte)'z']).ShouldBe(isKept ? $"a{char.ToLowerInvariant(c)}z" : null);
            Write(KeyRule.Encode, [(byte)'a', (byte)b, (byte)'z']).ShouldBe(isKept ? $"a{c}z" : $"a={b:x2}z");
        }
    }

    [Theory]
    [InlineData(127, false)]
    [InlineData(128, false)]
    [InlineData(129, true)]
    [InlineData(2_000, true)]
    public void TryWrite_LongValue_FitsUpToTheLimit(int length, bool isTooLong)
    {
        string value = new('L', length);

        Write(KeyRule.Seed, value).ShouldBe(isTooLong ? null : new string('l', length));
        Write(KeyRule.Keep, value).ShouldBe(isTooLong ? null : value);
        Write(KeyRule.Lower, value).ShouldBe(isTooLong ? null : value.ToLowerInvariant());
        Write(KeyRule.Encode, value).ShouldBe(isTooLong ? "==" + Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(value))) : value);
    }

    private static string? Write(KeyRule rule, string value) => Write(rule, Encoding.UTF8.GetBytes(value));

    private static string? Write(KeyRule rule, byte[] value)
    {
        byte[] destination = new byte[KeyPart.MaxBytes];
        return KeyPart.TryWrite(rule, value, destination, out int written) ? Encoding.Latin1.GetString(destination, 0, written) : null;
    }
}
