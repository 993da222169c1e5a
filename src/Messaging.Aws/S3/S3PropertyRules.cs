using System.Globalization;
using System.Text;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Aws.S3;

/// <summary>
/// What S3 takes as user metadata and as tags, and how other values are made to fit. Sources: "Working with object metadata" and
/// "Categorizing your objects using tags" in the S3 user guide.
/// </summary>
internal static class S3PropertyRules
{
    /// <summary>Maximum bytes of all names, without <see cref="MetadataPrefix"/>, and values of an object's metadata.</summary>
    public const int MaxMetadataBytes = 2_048;

    /// <summary>Maximum tags of an object.</summary>
    public const int MaxTags = 10;

    /// <summary>Maximum characters of a tag's value.</summary>
    public const int MaxTagValue = 256;

    /// <summary>The begin of a metadata header's name.</summary>
    public const string MetadataPrefix = "x-amz-meta-";

    /// <summary>The header of all tags.</summary>
    public const string TaggingHeader = "x-amz-tagging";

    private const int MaxTagKey = 128;
    private const char Replacement = '_';

    // RFC 2047: an encoded word has at most 75 characters, 12 of which are "=?UTF-8?B?" and "?=". 60 base64 characters are 45 bytes.
    private const int MaxWordBytes = 45;

    /// <summary>Everything wrong with configured names and values.</summary>
    public static IEnumerable<string> FindProblems(IEnumerable<KeyValuePair<string, string>> properties, ObjectPropertyKind kind)
    {
        int bytes = 0;
        int count = 0;
        foreach ((string name, string value) in properties)
        {
            count++;
            bytes += MetadataBytes(NameOf(name), EncodeMetadata(value));
            if (FindNameProblem(name, kind) is { } problem)
            {
                yield return problem;
            }
            else if (kind == ObjectPropertyKind.Tag && (value.Length > MaxTagValue || value.EnumerateRunes().Any(rune => !IsOfTag(rune))))
            {
                yield return $"the value of the tag '{name}' must have at most {MaxTagValue} letters, digits, blanks and + - = . _ : / @.";
            }
        }

        if (kind == ObjectPropertyKind.Metadata && bytes > MaxMetadataBytes)
        {
            yield return $"must have at most {MaxMetadataBytes:N0} bytes of names and values; these have {bytes:N0}.";
        }

        if (kind == ObjectPropertyKind.Tag && count > MaxTags)
        {
            yield return $"must have at most {MaxTags} tags; these are {count}.";
        }
    }

    /// <summary>What is wrong with a name; null when S3 takes it.</summary>
    public static string? FindNameProblem(string name, ObjectPropertyKind kind) => kind switch
    {
        ObjectPropertyKind.Metadata when name.Length == 0 || !name.All(IsOfToken) =>
            $"the name '{name}' must be a header's name: letters, digits and ! # $ % & ' * + - . ^ _ ` | ~.",
        ObjectPropertyKind.Tag when name.Length is 0 or > MaxTagKey || name.EnumerateRunes().Any(rune => !IsOfTag(rune)) =>
            $"the key '{name}' must have 1 to {MaxTagKey} letters, digits, blanks and + - = . _ : / @.",
        ObjectPropertyKind.Tag when name.StartsWith("aws:", StringComparison.OrdinalIgnoreCase) =>
            $"the key '{name}' must not begin with aws:, which AWS keeps for itself.",
        _ => null,
    };

    /// <summary>A metadata name as S3 returns it.</summary>
    public static string NameOf(string name) => name.ToLowerInvariant();

    /// <summary>What a metadata entry counts towards <see cref="MaxMetadataBytes"/>.</summary>
    public static int MetadataBytes(string name, string value) => Encoding.UTF8.GetByteCount(name) + Encoding.UTF8.GetByteCount(value);

    /// <summary>A metadata value as a header: unchanged, or as encoded words (RFC 2047), as S3 itself returns a value that is not ASCII.</summary>
    public static string EncodeMetadata(string value)
    {
        // A header loses blanks at its ends.
        if (value.AsSpan().IndexOfAnyExceptInRange(' ', '~') < 0 && !value.StartsWith(' ') && !value.EndsWith(' '))
        {
            return value;
        }

        StringBuilder words = new();
        Span<byte> word = stackalloc byte[MaxWordBytes];
        int length = 0;
        foreach (Rune rune in value.EnumerateRunes())
        {
            if (length + rune.Utf8SequenceLength > MaxWordBytes)
            {
                AppendWord(words, word[..length]);
                length = 0;
            }

            length += rune.EncodeToUtf8(word[length..]);
        }

        AppendWord(words, word[..length]);
        return words.ToString();
    }

    /// <summary>A tag's value of S3's alphabet and length.</summary>
    /// <param name="value">Any text.</param>
    /// <param name="replaced">True when a character was replaced by <c>_</c>.</param>
    /// <param name="cut">True when the end was cut off.</param>
    public static string CleanTag(string value, out bool replaced, out bool cut)
    {
        StringBuilder? clean = null;
        replaced = false;
        cut = false;
        int at = 0;
        foreach (Rune rune in value.EnumerateRunes())
        {
            bool fits = IsOfTag(rune);
            int length = fits ? rune.Utf16SequenceLength : 1;
            if ((clean?.Length ?? at) + length > MaxTagValue)
            {
                cut = true;
                return clean?.ToString() ?? value[..at];
            }

            if (!fits)
            {
                replaced = true;
                clean ??= new StringBuilder(value, 0, at, value.Length);
            }

            if (clean is not null)
            {
                _ = fits ? clean.Append(rune.ToString()) : clean.Append(Replacement);
            }

            at += rune.Utf16SequenceLength;
        }

        return clean?.ToString() ?? value;
    }

    /// <summary>The value of <see cref="TaggingHeader"/>.</summary>
    public static string WriteTags(IEnumerable<KeyValuePair<string, string>> tags) =>
        string.Join('&', tags.Select(tag => $"{Uri.EscapeDataString(tag.Key)}={Uri.EscapeDataString(tag.Value)}"));

    private static void AppendWord(StringBuilder words, ReadOnlySpan<byte> bytes)
    {
        words.Append(words.Length == 0 ? "" : " ").Append("=?UTF-8?B?").Append(Convert.ToBase64String(bytes)).Append("?=");
    }

    private static bool IsOfToken(char c) => char.IsAsciiLetterOrDigit(c) || "!#$%&'*+-.^_`|~".Contains(c);

    private static bool IsOfTag(Rune rune) =>
        "+-=._:/@".Contains(rune.ToString(), StringComparison.Ordinal)
        || Rune.IsLetter(rune) || Rune.IsNumber(rune) || Rune.GetUnicodeCategory(rune) == UnicodeCategory.SpaceSeparator;
}
