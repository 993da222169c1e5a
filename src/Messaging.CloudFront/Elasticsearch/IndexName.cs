using System.Buffers;
using System.Text;

namespace Messaging.CloudFront.Elasticsearch;

/// <summary>
/// Elasticsearch's rules for the names of indexes, aliases and data streams ("Create index API", path parameters). A date in the name is left to
/// data streams and index lifecycle management: a name that changes with the day would let a redelivered message be indexed twice.
/// </summary>
internal static class IndexName
{
    /// <summary>The rest of a sentence about a name.</summary>
    public const string Rule = "must be a name of Elasticsearch: lower case, at most 255 bytes, without blanks and any of \\ / * ? \" < > | , # :, not beginning with - _ +, not . or ..";

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
