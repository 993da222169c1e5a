using Worker.Aws;

namespace Worker.Tests.Aws;

public sealed class UntrustedTextTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("plain é 漢 😀", "plain é 漢 😀")]
    [InlineData("a\r\n\u001b[2J\u0000\u007f\u0085", "a\\u000d\\u000a\\u001b[2J\\u0000\\u007f\\u0085")]
    [InlineData("\u2028\u2029\u202e\ufeff", "\\u2028\\u2029\\u202e\\ufeff")]
    public void Shorten_UnsafeCharacters_AreEscaped(string text, string expected)
    {
        UntrustedText.Shorten(text).ShouldBe(expected);
    }

    [Fact]
    public void Shorten_LoneSurrogates_AreEscaped()
    {
        UntrustedText.Shorten(new string(['a', '\ud800', 'b', '\udc00'])).ShouldBe("a\\ud800b\\udc00");
    }

    [Theory]
    [InlineData("x")]
    [InlineData("\n")]
    [InlineData("😀")]
    [InlineData("ab😀\t")]
    public void Shorten_LongText_IsCutWhole(string part)
    {
        string result = UntrustedText.Shorten(string.Concat(Enumerable.Repeat(part, 1_000)));

        result.Length.ShouldBeInRange(UntrustedText.MaxLength - 6, UntrustedText.MaxLength);
        result.ShouldEndWith("…");
        result.EnumerateRunes().ShouldNotContain(System.Text.Rune.ReplacementChar);
    }
}
