using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Quayside.Messaging.Storage;

/// <summary>
/// Maps an object's key to a path below the sink's folder. Keys are untrusted: a key that leads outside the folder, or to the unfinished files
/// in it, has no path. The same key has the same path on every platform.
/// </summary>
internal static class ObjectPath
{
    /// <summary>The longest key in bytes, as in S3.</summary>
    public const int MaxKeyBytes = 1_024;

    // Device names on Windows, with or without an extension.
    private static readonly string[] Devices = ["con", "prn", "aux", "nul"];

    /// <summary>
    /// Maps a key to a relative path, with <c>/</c> between segments. A segment of more than 255 bytes, which S3 allows but file systems do
    /// not, is cut and marked with its hash (<see cref="FileName.Fit"/>).
    /// </summary>
    /// <param name="key">The key, in UTF-8.</param>
    /// <param name="path">The path.</param>
    /// <param name="problem">Why the key has no path.</param>
    public static bool TryMap(ReadOnlySpan<byte> key, [NotNullWhen(true)] out string? path, [NotNullWhen(false)] out string? problem)
    {
        path = null;
        problem = FindProblem(key);
        if (problem is not null)
        {
            return false;
        }

        string text = Encoding.UTF8.GetString(key);
        int longest = 0;
        foreach (Range range in text.AsSpan().Split('/'))
        {
            ReadOnlySpan<char> segment = text.AsSpan(range);
            problem = FindSegmentProblem(segment);
            if (problem is not null)
            {
                return false;
            }

            longest = Math.Max(longest, segment.Length);
        }

        if (IsTemporary(text))
        {
            problem = "it is in the folder of unfinished files";
            return false;
        }

        // A UTF-16 unit is at most 3 UTF-8 bytes, so shorter segments fit.
        path = longest <= FileName.MaxBytes / 3 ? text : string.Join('/', text.Split('/').Select(FileName.Fit));
        return true;
    }

    private static string? FindProblem(ReadOnlySpan<byte> key)
    {
        if (key.IsEmpty)
        {
            return "it is empty";
        }

        if (key.Length > MaxKeyBytes)
        {
            return "it is longer than 1,024 bytes";
        }

        return System.Text.Unicode.Utf8.IsValid(key) ? null : "it is not UTF-8";
    }

    private static string? FindSegmentProblem(ReadOnlySpan<char> segment)
    {
        if (segment.IsEmpty)
        {
            return "it has an empty segment";
        }

        if (segment is "." or "..")
        {
            return "it has a segment . or ..";
        }

        if (segment.ContainsAnyInRange('\0', '\u001f') || segment.ContainsAnyInRange('\u007f', '\u009f') || segment.Contains('\\'))
        {
            return "it has a control character or a backslash";
        }

        return OperatingSystem.IsWindows() ? FindWindowsProblem(segment) : null;
    }

    private static string? FindWindowsProblem(ReadOnlySpan<char> segment)
    {
        if (segment.ContainsAny("<>:\"|?*") || segment[^1] is '.' or ' ')
        {
            return "a segment is not a valid file name on Windows";
        }

        int dot = segment.IndexOf('.');
        ReadOnlySpan<char> stem = (dot < 0 ? segment : segment[..dot]).TrimEnd(' ');
        bool isDevice = stem.Length == 4 && char.IsDigit(stem[3])
            ? stem.StartsWith("com", StringComparison.OrdinalIgnoreCase) || stem.StartsWith("lpt", StringComparison.OrdinalIgnoreCase)
            : Devices.Contains(stem.ToString(), StringComparer.OrdinalIgnoreCase);
        return isDevice ? "a segment is not a valid file name on Windows" : null;
    }

    private static bool IsTemporary(ReadOnlySpan<char> text)
    {
        int slash = text.IndexOf('/');
        return (slash < 0 ? text : text[..slash]).Equals(DurableFolder.TemporaryFolder, StringComparison.OrdinalIgnoreCase);
    }
}
