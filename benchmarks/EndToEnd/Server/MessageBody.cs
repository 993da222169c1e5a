using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Benchmarks.EndToEnd.Server;

/// <summary>
/// The messages of a run: 1,024 bytes of JSON each, with different sites and ids, the same for every client. Written on demand, from the
/// generation (one fill of a queue) and the index within it, so that a million of them need no memory.
/// </summary>
internal static class MessageBody
{
    public const int Length = 1_024;

    /// <summary>Characters of an id: generation, dash, index, in hexadecimal digits.</summary>
    public const int IdLength = 13;

    private const string Placeholder = "0000-00000000";
    private const int Sites = 8;

    private static readonly byte[][] Raw = [.. Enumerable.Range(0, Sites).Select(Compose)];
    private static readonly byte[][] Escaped = [.. Raw.Select(raw => JsonEncodedText.Encode(raw, JavaScriptEncoder.UnsafeRelaxedJsonEscaping).EncodedUtf8Bytes.ToArray())];
    private static readonly int[] RawAt = [.. Raw.Select(FindId)];
    private static readonly int[] EscapedAt = [.. Escaped.Select(FindId)];

    /// <summary>Writes the body as it is.</summary>
    /// <returns>Bytes written: <see cref="Length"/>.</returns>
    public static int Write(Span<byte> to, int generation, int index) => Write(to, Raw[index % Sites], RawAt[index % Sites], generation, index);

    /// <summary>Writes the body as the inside of a JSON string.</summary>
    public static int WriteEscaped(Span<byte> to, int generation, int index) => Write(to, Escaped[index % Sites], EscapedAt[index % Sites], generation, index);

    public static void WriteId(Span<byte> to, int generation, int index)
    {
        Utf8Formatter.TryFormat(generation, to, out _, new System.Buffers.StandardFormat('x', 4));
        to[4] = (byte)'-';
        Utf8Formatter.TryFormat(index, to[5..], out _, new System.Buffers.StandardFormat('x', 8));
    }

    public static bool TryReadId(ReadOnlySpan<byte> id, out int generation, out int index)
    {
        index = 0;
        generation = 0;
        return id.Length == IdLength
            && id[4] == (byte)'-'
            && Utf8Parser.TryParse(id[..4], out generation, out int read, 'x') && read == 4
            && Utf8Parser.TryParse(id[5..], out index, out read, 'x') && read == 8;
    }

    /// <summary>The id within a body; empty where there is none.</summary>
    public static ReadOnlySpan<byte> IdOf(ReadOnlySpan<byte> body)
    {
        ReadOnlySpan<byte> name = "\"MessageId\":\""u8;
        int at = body.IndexOf(name) + name.Length;
        return at >= name.Length && at + IdLength <= body.Length ? body.Slice(at, IdLength) : [];
    }

    public static UInt128 Md5(int generation, int index)
    {
        Span<byte> body = stackalloc byte[Length];
        Write(body, generation, index);
        return Md5(body);
    }

    public static UInt128 Md5(ReadOnlySpan<byte> bytes)
    {
        Span<byte> hash = stackalloc byte[MD5.HashSizeInBytes];
        MD5.HashData(bytes, hash);
        return System.Buffers.Binary.BinaryPrimitives.ReadUInt128BigEndian(hash);
    }

    private static int Write(Span<byte> to, byte[] template, int idAt, int generation, int index)
    {
        template.CopyTo(to);
        WriteId(to[idAt..], generation, index);
        return template.Length;
    }

    private static int FindId(byte[] template) => template.AsSpan().IndexOf(Encoding.UTF8.GetBytes(Placeholder));

    private static byte[] Compose(int site)
    {
        string head = string.Create(CultureInfo.InvariantCulture, $$$"""{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"My Product","SiteKey":"Site Key {{{site}}}","EventName":"My Event","MessageId":"{{{Placeholder}}}","Payload":{"Customer":{"Id":48151623,"Country":"DE","Vip":false},"Lines":[""");
        string lines = string.Join(',', Enumerable.Range(1, 6).Select(line => string.Create(CultureInfo.InvariantCulture, $$"""{"Sku":"SKU-{{line * 7919}}","Quantity":{{line}},"Price":{{line * 3}}.95,"Currency":"EUR"}""")));
        string tail = "],\"Note\":\"";
        string end = "\"}}";
        int missing = Length - head.Length - lines.Length - tail.Length - end.Length;
        string note = string.Concat(Enumerable.Repeat("the quick brown fox jumps over the lazy dog; ", 30))[..missing];
        return Encoding.UTF8.GetBytes(head + lines + tail + note + end);
    }
}
