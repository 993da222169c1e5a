using System.Buffers;
using System.Text;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>The action line before each document. The request's URL names the index.</summary>
internal static class ActionLine
{
    /// <summary>Elasticsearch's limit of an id, in bytes ("_id field", Elasticsearch reference).</summary>
    public const int MaxId = 512;

    private static readonly SearchValues<byte> Allowed =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"u8);

    public static ReadOnlySpan<byte> Before => "{\"create\":{\"_id\":\""u8;

    public static ReadOnlySpan<byte> Behind => "\"}}\n"u8;

    /// <summary>True for an id that needs no escape: <c>A-Z a-z 0-9 - _</c>.</summary>
    public static bool IsId(ReadOnlySpan<byte> id) => id.Length is >= 1 and <= MaxId && !id.ContainsAnyExcept(Allowed);

    /// <summary>The id in a document's lines.</summary>
    public static ReadOnlySpan<byte> IdOf(ReadOnlySpan<byte> lines)
    {
        ReadOnlySpan<byte> rest = lines[Before.Length..];
        return rest[..rest.IndexOf((byte)'"')];
    }
}

/// <summary>
/// Elasticsearch's rules for the names of indexes, aliases and data streams ("Create index API", path parameters). The sink adds no date to
/// the name: if the name changed daily, a redelivered message could be indexed twice. Use data streams or index lifecycle management instead.
/// </summary>
internal static class IndexName
{
    /// <summary>The rule as a predicate of the setting's name.</summary>
    public const string Rule = "must be a name that Elasticsearch allows: lower case, at most 255 bytes, without blanks or any of \\ / * ? \" < > | , # :, not "
        + "starting with - _ or +, and not . or ..";

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
