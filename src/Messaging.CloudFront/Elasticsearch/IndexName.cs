using System.Buffers;
using System.Text;

namespace Messaging.CloudFront.Elasticsearch;

/// <summary>
/// Elasticsearch's rules for the names of indexes, aliases and data streams ("Create index API", path parameters). The sink adds no date to
/// the name: if the name changed daily, a redelivered message could be indexed twice. Use data streams or index lifecycle management instead.
/// </summary>
internal static class IndexName
{
    /// <summary>The rule as a predicate of the setting's name.</summary>
    public const string Rule = "must be a name that Elasticsearch allows: lower case, at most 255 bytes, without blanks or any of \\ / * ? \" < > | , # :, not starting with - _ or +, and not . or ..";

    private const int MaxBytes = 255;

    private static readonly SearchValues<char> Refused = SearchValues.Create("\\/*?\"<>| ,#:");

    public static bool IsValid(string name) =>
        name.Length > 0
        && Encoding.UTF8.GetByteCount(name) <= MaxBytes
        && name is not ("." or "..")
        && name[0] is not ('-' or '_' or '+')
        && !name.AsSpan().ContainsAny(Refused)
        && !name.Any(c => char.IsUpper(c) || char.IsControl(c) || char.IsWhiteSpace(c) || char.IsSurrogate(c));
}
