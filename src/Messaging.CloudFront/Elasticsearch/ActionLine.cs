using System.Buffers;

namespace Messaging.CloudFront.Elasticsearch;

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
