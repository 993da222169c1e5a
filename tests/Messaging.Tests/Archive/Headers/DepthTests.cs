using System.Text;
using System.Text.Json;
using Quayside.Messaging.Archive.Headers;

namespace Messaging.Tests.Archive.Headers;

/// <summary>Nesting: 64 levels are accepted, the 65th is poison, and a million levels cost linear time and no stack.</summary>
public sealed class DepthTests
{
    private static readonly (string Open, string Close)[] Kinds = [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]"), (" [ 1 , ", " ] ")];

    [Fact]
    public void TryRead_DepthsAroundTheLimit_AreCountedLikeTheReaderDoes()
    {
        foreach ((string open, string close) in Kinds)
        {
            for (int times = 1; times <= 80; times++)
            {
                string body = "{\"x\":" + Nested(open, close, times) + "}";
                bool accepted = AcceptsWithReader(body);
                foreach (BodyValidation rule in Enum.GetValues<BodyValidation>())
                {
                    BodyRun.Read(body, rule).Code.ShouldBe(accepted ? "" : "too-deep");
                }
            }
        }

        BodyRun.Read("{\"x\":" + Nested("[", "]", 63) + "}").Code.ShouldBe("");
        BodyRun.Read("{\"x\":" + Nested("[", "]", 64) + "}").Poison.ToString().ShouldBe("too-deep at byte 68, property \"x\"");
        BodyRun.Read(Nested("[", "]", 64)).Code.ShouldBe("not-an-object");
        BodyRun.Read(Nested("[", "]", 65)).Code.ShouldBe("too-deep");
    }

    [Theory]
    [InlineData(100)]
    [InlineData(1_000)]
    [InlineData(10_000)]
    [InlineData(100_000)]
    [InlineData(1_000_000)]
    public void TryRead_DepthBomb_IsTooDeep(int times)
    {
        foreach ((string open, string close) in Kinds)
        {
            foreach (string end in new[] { "", "1" + string.Concat(Enumerable.Repeat(close, times)) })
            {
                byte[] bomb = Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat(open, times)) + end);
                byte[] unused = [.. "{\"x\":"u8, .. bomb];
                byte[] used = [.. "{\"Product\":"u8, .. bomb];
                foreach (BodyValidation rule in Enum.GetValues<BodyValidation>())
                {
                    BodyRun.Read(bomb, rule).Code.ShouldBe("too-deep");
                    BodyRun.Read(unused, rule).Code.ShouldBe("too-deep");
                    BodyRun.Read(used, rule).Code.ShouldBe("too-deep");
                }
            }
        }
    }

    [Fact]
    public void TryRead_WideButShallow_IsFine()
    {
        string wide = "{\"x\":[" + string.Concat(Enumerable.Repeat("[{\"a\":[]}],", 100_000)) + "0]}";

        BodyRun.Read(wide).Code.ShouldBe("");
        BodyRun.Read(wide, BodyValidation.HeaderOnly).Code.ShouldBe("");
    }

    private static string Nested(string open, string close, int times) =>
        string.Concat(Enumerable.Repeat(open, times)) + "1" + string.Concat(Enumerable.Repeat(close, times));

    private static bool AcceptsWithReader(string json)
    {
        try
        {
            var reader = new Utf8JsonReader(Encoding.UTF8.GetBytes(json), new JsonReaderOptions { MaxDepth = 64 });
            while (reader.Read())
            {
            }

            return true;
        }
        catch (JsonException)
        {
            return false;
        }
    }
}
