using System.Text;
using Quayside.Messaging.Archive.Headers;

namespace Messaging.Tests.Archive.Headers;

public sealed class PropertyLogTextTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("Product", "Product")]
    [InlineData("a b\"c\\", "a b\"c\\")]
    [InlineData("a\nb\u001B[31m", "a\\u{a}b\\u{1b}[31m")]
    [InlineData("\u202E\u00E9\U0001F600\u0000", "\\u{202e}\\u{e9}\\u{1f600}\\u{0}")]
    public void From_Name_IsPrintable(string name, string expected) => PropertyLogText.From(Encoding.UTF8.GetBytes(name)).ShouldBe(expected);

    [Fact]
    public void From_BrokenUtf8_ShowsTheBytes() => PropertyLogText.From([(byte)'a', 0xFF, 0xC3, (byte)'b']).ShouldBe("a\\xff\\xc3b");

    [Fact]
    public void From_LongName_IsCutToTheLimit()
    {
        for (int length = 0; length < 200; length++)
        {
            foreach (string letter in new[] { "n", "\u00E9", "\u0001", "\U0001F600" })
            {
                string text = PropertyLogText.From(Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat(letter, length))));

                text.Length.ShouldBeLessThanOrEqualTo(PropertyLogText.MaxLength);
                text.Any(c => c is < ' ' or > '~').ShouldBeFalse(text);
                text
                    .EndsWith("...", StringComparison.Ordinal)
                    .ShouldBe(length * (letter == "n" ? 1 : PropertyLogText.From(Encoding.UTF8.GetBytes(letter)).Length) > PropertyLogText.MaxLength);
            }
        }
    }
}
