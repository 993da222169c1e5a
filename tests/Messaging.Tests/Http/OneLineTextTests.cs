using Quayside.Messaging.Http;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Http;

public sealed class OneLineTextTests
{
    [Theory]
    [InlineData(null, null)]
    [InlineData("", "")]
    [InlineData("one line.", "one line.")]
    [InlineData("a\nb", "a b")]
    [InlineData("a\r\n\r\n  b\tc\n", "a b c")]
    [InlineData("It failed.\n   at System.IO.File.Open(String path) in /src/File.cs:line 3\n   at Worker.Run()", "It failed.")]
    [InlineData("It failed. ---> Inner\r\n   at A.B(C d)\r\n   --- End of inner exception stack trace ---\r\n   at D.E()", "It failed. ---> Inner")]
    [InlineData("Meet me\nat the station (now)", "Meet me at the station (now)")]
    [InlineData("C:\\users\\u0041", "C:\\users\\u0041")]
    public void Of_IsOneLineWithoutAStackTrace(string? text, string? shown)
    {
        OneLineText.Of(text).ShouldBe(shown);

        // As texts arrive from parts that escape them for the log.
        if (!string.IsNullOrEmpty(text))
        {
            OneLineText.Of(UntrustedText.Shorten(text)).ShouldBe(shown);
        }
    }

    [Theory]
    [InlineData('\n')]
    [InlineData('\'')]
    [InlineData('\\')]
    public void PathFree_LongTextOfASender_IsCut(char repeated)
    {
        string? shown = PathFreeText.Of($"The value is \t'/{new string(repeated, 1 << 20)}");

        shown.ShouldNotBeNull().Length.ShouldBeLessThan(1_100);
        shown.ShouldStartWith("The value is");
    }

    [Fact]
    public void PathFree_IsOneLineToo() => PathFreeText.Of("Access to '/var/lib/x' is denied.\n   at A.B.C()").ShouldBe("Access to '…' is denied.");
}
