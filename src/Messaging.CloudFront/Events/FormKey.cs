using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Text;
using System.Text.RegularExpressions;
using System.Text.Unicode;

namespace Quayside.Messaging.CloudFront.Events;

/// <summary>
/// Reads object keys of events. Those of notifications are <c>application/x-www-form-urlencoded</c>, so a blank is <c>+</c> and a plus sign
/// <c>%2B</c> (https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html).
/// </summary>
internal static partial class FormKey
{
    /// <summary>S3's limit, in bytes after decoding.</summary>
    public const int MaxBytes = 1_024;

    /// <summary>Decodes a key exactly once, if it is encoded at all.</summary>
    /// <returns>False for an empty or too long key, for a percent sign without two hexadecimal digits where keys are encoded, for a byte 0, and for
    /// bytes that are not UTF-8. Also false for keys that could address another object and that no log of CloudFront has: AWSSDK.S3 removes a leading
    /// slash, and a proxy may resolve the segment <c>.</c> or <c>..</c> into another bucket.</returns>
    public static bool TryRead(string text, KeyEncoding encoding, [NotNullWhen(true)] out string? key)
    {
        key = null;
        if (encoding == KeyEncoding.Url && BrokenEscape().IsMatch(text))
        {
            return false;
        }

        byte[] bytes = Encoding.UTF8.GetBytes(text);
        ReadOnlySpan<byte> decoded = encoding == KeyEncoding.Url ? WebUtility.UrlDecodeToBytes(bytes, 0, bytes.Length) : bytes;
        if (decoded.Length is 0 or > MaxBytes || !Utf8.IsValid(decoded) || decoded.Contains((byte)0))
        {
            return false;
        }

        key = Encoding.UTF8.GetString(decoded);
        return key[0] != '/' && !key.Split('/').Any(segment => segment is "." or "..");
    }

    [GeneratedRegex("%(?![0-9A-Fa-f]{2})")]
    private static partial Regex BrokenEscape();
}

/// <summary>How event notifications spell the keys of objects.</summary>
internal enum KeyEncoding
{
    /// <summary>URL-encoded, as S3 does: a blank is a plus sign, and a plus sign <c>%2B</c>.</summary>
    Url = 0,

    /// <summary>Unchanged, as Ceph does.</summary>
    None,
}
