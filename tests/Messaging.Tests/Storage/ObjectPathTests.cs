using System.Text;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.Storage;

public sealed class ObjectPathTests
{
    [Theory]
    [InlineData("")]
    [InlineData("/")]
    [InlineData("/etc/passwd")]
    [InlineData("a//b")]
    [InlineData("a/")]
    [InlineData(".")]
    [InlineData("..")]
    [InlineData("../a")]
    [InlineData("a/../b")]
    [InlineData("a/./b")]
    [InlineData("a/..")]
    [InlineData("a\\..\\b")]
    [InlineData("a\0b")]
    [InlineData("a\nb")]
    [InlineData("a\u007fb")]
    [InlineData("a\u0085b")]
    [InlineData(".tmp/w-1.tmp")]
    [InlineData(".tmp")]
    [InlineData(".TMP/x")]
    public void TryMap_KeyOutsideTheRoot_IsRefused(string key)
    {
        ObjectPath.TryMap(Encoding.UTF8.GetBytes(key), out string? path, out string? problem).ShouldBeFalse();

        path.ShouldBeNull();
        problem.ShouldNotBeNullOrEmpty();
    }

    [Fact]
    public void TryMap_NotUtf8_IsRefused()
    {
        foreach (byte[] key in (byte[][])[[0x61, 0xff], [0xc0, 0xae, 0xc0, 0xae], [0xed, 0xa0, 0x80], [0xe2, 0x82]])
        {
            ObjectPath.TryMap(key, out _, out string? problem).ShouldBeFalse();
            problem.ShouldBe("it is not UTF-8");
        }
    }

    [Fact]
    public void TryMap_MoreThan1024Bytes_IsRefused() =>
        ObjectPath.TryMap(new byte[1_025].Select(_ => (byte)'a').ToArray(), out _, out _).ShouldBeFalse();

    [Theory]
    [InlineData("a/b/c.json")]
    [InlineData("a/.hidden/b..c/...")]
    [InlineData(".tmpx/a")]
    [InlineData("a/.tmp/b")]
    public void TryMap_OrdinaryKey_IsItsOwnPath(string key)
    {
        ObjectPath.TryMap(Encoding.UTF8.GetBytes(key), out string? path, out _).ShouldBeTrue();

        path.ShouldBe(key);
    }

    [Theory]
    [InlineData('a', 255, true)]
    [InlineData('a', 256, false)]
    [InlineData('ü', 127, true)]
    [InlineData('ü', 128, false)]
    [InlineData('本', 85, true)]
    [InlineData('本', 86, false)]
    public void TryMap_LongSegment_IsCutTo255BytesAndMarked(char c, int count, bool fits)
    {
        string segment = new(c, count);

        ObjectPath.TryMap(Encoding.UTF8.GetBytes($"x/{segment}/y"), out string? path, out _).ShouldBeTrue();

        string mapped = path!.Split('/')[1];
        Encoding.UTF8.GetByteCount(mapped).ShouldBeLessThanOrEqualTo(255);
        mapped.Equals(segment, StringComparison.Ordinal).ShouldBe(fits);
        if (!fits)
        {
            mapped.ShouldMatch("^(a+|ü+|本+)~[0-9a-f]{32}$");
        }
    }

    [Fact]
    public void TryMap_LongSegmentsThatDifferAnywhere_DifferInTheirPaths()
    {
        string[] keys = [.. Enumerable.Range(0, 400).Select(i => new string('a', i) + "b" + new string('a', 400 - i) + ".json")];

        string[] paths = [.. keys.Select(key => ObjectPath.TryMap(Encoding.UTF8.GetBytes(key), out string? path, out _) ? path : "")];

        paths.Distinct(StringComparer.Ordinal).Count().ShouldBe(keys.Length);
        paths.ShouldAllBe(path => path.EndsWith(".json", StringComparison.Ordinal) && path.Length == 255);
    }

    [Fact]
    public void TryMap_AnyBytes_NeverLeavesTheRoot()
    {
        const string Root = "/srv/objects";
        Random random = new(20261121);
        string[] pieces = ["/", ".", "..", "\\", "a", "~", "%2e", "\0", ".tmp", "C:", "ü", " ", "//", "\u2024", "\uff0f"];
        for (int i = 0; i < 20_000; i++)
        {
            string key = string.Concat(Enumerable.Range(0, random.Next(1, 8)).Select(_ => pieces[random.Next(pieces.Length)]));
            if (ObjectPath.TryMap(Encoding.UTF8.GetBytes(key), out string? path, out _))
            {
                string full = Path.GetFullPath(Path.Combine(Root, path));
                full.ShouldStartWith(Root + "/");
                full.ShouldBe($"{Root}/{path}");
                full.ShouldNotStartWith($"{Root}/.tmp/");
            }
        }
    }
}
