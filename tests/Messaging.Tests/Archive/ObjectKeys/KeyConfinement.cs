using System.Text;
using System.Text.RegularExpressions;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>The rules that every key satisfies, for any message.</summary>
internal static partial class KeyConfinement
{
    public static void ShouldBeConfined(this string key)
    {
        AllowedKey().IsMatch(key).ShouldBeTrue(key);
        Encoding.UTF8.GetByteCount(key).ShouldBeInRange(1, 1_024);
        key.Split('/').Any(level => level is "" or "." or "..").ShouldBeFalse(key);
    }

    [GeneratedRegex(@"\A[a-z0-9_\-.=/]+\z")]
    private static partial Regex AllowedKey();
}
