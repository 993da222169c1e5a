using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Telemetry;

public sealed class UntrustedTextTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("plain é 漢 😀 \\ \"", "plain é 漢 😀 \\ \"")]
    [InlineData("a\r\n\tb", "a\\u000d\\u000a\\u0009b")]
    [InlineData("\u0000\u001b[31m\u007f\u0085\u009b", "\\u0000\\u001b[31m\\u007f\\u0085\\u009b")]
    [InlineData("\u2028\u2029", "\\u2028\\u2029")]
    [InlineData("\u202egpj.exe\u200f\ufeff", "\\u202egpj.exe\\u200f\\ufeff")]
    public void Shorten_TextThatCouldHarmALog_IsEscaped(string text, string expected)
    {
        UntrustedText.Shorten(text).ShouldBe(expected);
        UntrustedText.Shorten(Encoding.UTF8.GetBytes(text)).ShouldBe(expected);
    }

    [Fact]
    public void Shorten_Null_IsEmpty() => UntrustedText.Shorten((string?)null).ShouldBe(string.Empty);

    [Fact]
    public void Shorten_LoneSurrogates_AreEscaped() =>
        UntrustedText.Shorten(new string(['a', '\ud83d', 'b', '\ude00'])).ShouldBe("a\\ud83db\\ude00");

    [Fact]
    public void Shorten_NotUtf8_ShowsReplacements() =>
        UntrustedText.Shorten([(byte)'a', 0xFF, 0xC0, 0xAF, (byte)'b']).ShouldBe("a\ufffd\ufffd\ufffdb");

    [Theory]
    [InlineData("x", 256)]
    [InlineData("é", 128)]
    [InlineData("漢", 85)]
    [InlineData("😀", 64)]
    public void Shorten_LongText_IsCutAt256BytesBetweenCharacters(string character, int fitting)
    {
        string text = string.Concat(Enumerable.Repeat(character, 300));
        string expected = string.Concat(Enumerable.Repeat(character, fitting)) + "…";

        UntrustedText.Shorten(text).ShouldBe(expected);
        UntrustedText.Shorten(Encoding.UTF8.GetBytes(text)).ShouldBe(expected);
    }

    [Fact]
    public void Shorten_Exactly256Bytes_IsNotCut()
    {
        string ascii = new('x', 256);
        string wide = new('é', 128);

        UntrustedText.Shorten(ascii).ShouldBe(ascii);
        UntrustedText.Shorten(Encoding.UTF8.GetBytes(ascii)).ShouldBe(ascii);
        UntrustedText.Shorten(wide).ShouldBe(wide);
        UntrustedText.Shorten(Encoding.UTF8.GetBytes(wide)).ShouldBe(wide);
    }

    [Fact]
    public void Shorten_CharacterAcrossTheLimit_IsLeftOutWhole()
    {
        for (int before = 250; before <= 257; before++)
        {
            string text = new string('x', before) + "😀!";
            string result = UntrustedText.Shorten(text);

            UntrustedText.Shorten(Encoding.UTF8.GetBytes(text)).ShouldBe(result);
            result.ShouldBe(before + 5 <= 256 ? text : before + 4 <= 256 ? new string('x', before) + "😀…" : new string('x', Math.Min(before, 256)) + "…");
        }
    }

    [Fact]
    public void Shorten_AnyText_IsOneSafeLineOfBoundedLength()
    {
        Gen<string> texts = Gen.Frequency(
            (3, Gen.Choose(0, 0xFFFF)),
            (2, Gen.Choose(0, 0x9F)),
            (1, Gen.Choose(0xD800, 0xDFFF)),
            (1, Gen.Choose(0x2000, 0x206F)))
            .Select(code => (char)code).ArrayOf().Select(characters => new string(characters));
        Property safe = Prop.ForAll(
            Arb.From(texts.Resize(400)), text => IsSafe(UntrustedText.Shorten(text)) && IsSafe(UntrustedText.Shorten(Encoding.UTF8.GetBytes(text))));

        Check.One(Config.QuickThrowOnFailure.WithQuietOnSuccess(true).WithMaxTest(500), safe);

        // Each shown byte becomes at most six: a control character of one byte is written as six.
        static bool IsSafe(string shown) =>
            shown.Length <= (6 * UntrustedText.MaxBytes) + 1
            && shown.EnumerateRunes().All(rune => !Rune.IsControl(rune) && rune.Value is not (0x2028 or 0x2029 or 0x202E))
            && shown == Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(shown));
    }
}
