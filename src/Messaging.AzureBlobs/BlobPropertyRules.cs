using System.Text;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>
/// What Blob Storage takes as metadata and index tags, and how other values are made to fit. Sources: "Setting and retrieving properties and metadata
/// for Blob service resources" and "Set Blob Tags" in Azure's REST reference.
/// </summary>
internal static class BlobPropertyRules
{
    /// <summary>Maximum bytes of all names and values of a blob's metadata.</summary>
    public const int MaxMetadataBytes = 8_192;

    /// <summary>Maximum tags of a blob.</summary>
    public const int MaxTags = 10;

    /// <summary>Maximum characters of a tag's value.</summary>
    public const int MaxTagValue = 256;

    private const int MaxTagKey = 128;

    /// <summary>Everything wrong with configured names and values.</summary>
    public static IEnumerable<string> FindProblems(IReadOnlyCollection<KeyValuePair<string, string>> properties, ObjectPropertyKind kind)
    {
        foreach ((string name, string value) in properties)
        {
            if (FindNameProblem(name, kind) is { } problem)
            {
                yield return problem;
            }
            else if (kind == ObjectPropertyKind.Tag && CleanTag(value) != value)
            {
                yield return $"the value of the tag '{name}' must have at most {MaxTagValue} letters of a to z, digits, blanks and + - . / : = _.";
            }
        }

        int bytes = properties.Sum(property => MetadataBytes(property.Key, EncodeMetadata(property.Value)));
        if (kind == ObjectPropertyKind.Metadata && bytes > MaxMetadataBytes)
        {
            yield return $"must have at most {MaxMetadataBytes:N0} bytes of names and values; these have {bytes:N0}.";
        }

        if (kind == ObjectPropertyKind.Tag && properties.Count > MaxTags)
        {
            yield return $"must have at most {MaxTags} tags; these are {properties.Count}.";
        }
    }

    /// <summary>What is wrong with a name; null when Blob Storage takes it.</summary>
    public static string? FindNameProblem(string name, ObjectPropertyKind kind) => kind switch
    {
        ObjectPropertyKind.Metadata when name.Length == 0 || char.IsAsciiDigit(name[0]) || !name.All(c => char.IsAsciiLetterOrDigit(c) || c == '_') =>
            $"the name '{name}' must be a C# identifier: letters of a to z, digits and _, with no digit first.",
        ObjectPropertyKind.Tag when name.Length is 0 or > MaxTagKey || !name.All(IsOfTag) =>
            $"the key '{name}' must have 1 to {MaxTagKey} letters of a to z, digits, blanks and + - . / : = _.",
        _ => null,
    };

    /// <summary>What a metadata entry counts towards <see cref="MaxMetadataBytes"/>.</summary>
    public static int MetadataBytes(string name, string value) => Encoding.UTF8.GetByteCount(name) + value.Length;

    /// <summary>
    /// A metadata value as a header: unchanged, or percent-encoded UTF-8 when it is not printable ASCII or has a blank at an end, which a header loses.
    /// </summary>
    public static string EncodeMetadata(string value) =>
        value.AsSpan().ContainsAnyExceptInRange(' ', '~') || value.StartsWith(' ') || value.EndsWith(' ') ? Uri.EscapeDataString(value) : value;

    /// <summary>A tag's value in the alphabet and of the length that Blob Storage takes: other characters become <c>_</c>, and the end is cut off.</summary>
    public static string CleanTag(string value) => string.Create(Math.Min(value.Length, MaxTagValue), value, static (clean, value) =>
    {
        for (int i = 0; i < clean.Length; i++)
        {
            clean[i] = IsOfTag(value[i]) ? value[i] : '_';
        }
    });

    private static bool IsOfTag(char c) => char.IsAsciiLetterOrDigit(c) || " +-./:=_".Contains(c, StringComparison.Ordinal);
}
