using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Tests.Shared.ReadableKeys;

/// <summary>The escapes of docs/reference/object-keys.md, byte by byte.</summary>
internal static class ReadableEscapes
{
    private const int MaxBytes = 128;

    /// <summary>The id of a message.</summary>
    public static string Id(string id) => Escape(id, c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c is '_' or '-' or '.');

    /// <summary>A value under <c>encode</c>.</summary>
    public static string Part(string value) => value == "unknown"
        ? "=75nknown"
        : Escape(value, c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-' or '.');

    private static string Escape(string value, Func<char, bool> isKept)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(value);
        StringBuilder encoded = new();
        for (int i = 0; i < bytes.Length; i++)
        {
            char c = (char)bytes[i];
            bool isOuterDot = c == '.' && (i == 0 || i == bytes.Length - 1);
            encoded.Append(isKept(c) && !isOuterDot ? c.ToString() : "=" + bytes[i].ToString("x2", CultureInfo.InvariantCulture));
        }

        return encoded.Length <= MaxBytes ? encoded.ToString() : "==" + Convert.ToHexStringLower(SHA256.HashData(bytes));
    }
}
