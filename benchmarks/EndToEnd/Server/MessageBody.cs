using System.Buffers.Text;
using System.Globalization;
using System.IO.Compression;
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

    /// <summary>The most bytes that are delivered for one message.</summary>
    public const int MaxDelivered = 4 * Length;

    private const string Placeholder = "0000-00000000";
    private const int Sites = 8;

    private static readonly byte[][] Raw = [.. Enumerable.Range(0, Sites).Select(Compose)];
    private static readonly byte[][] Escaped = [.. Raw.Select(Escape)];
    private static readonly byte[][] Notifications = [.. Escaped.Select(Notify)];
    private static readonly byte[][] EscapedNotifications = [.. Notifications.Select(Escape)];
    private static readonly int[] RawAt = [.. Raw.Select(FindId)];
    private static readonly int[] EscapedAt = [.. Escaped.Select(FindId)];
    private static readonly int[] NotificationAt = [.. Notifications.Select(FindId)];
    private static readonly int[] EscapedNotificationAt = [.. EscapedNotifications.Select(FindId)];

    /// <summary>Writes the body as it is.</summary>
    /// <returns>Bytes written: <see cref="Length"/>.</returns>
    public static int Write(Span<byte> to, int generation, int index) => Write(to, Raw[index % Sites], RawAt[index % Sites], generation, index);

    /// <summary>Writes what the queue delivers, the body in its envelope, as the inside of a JSON string.</summary>
    /// <returns>Bytes written, at most <see cref="MaxDelivered"/>.</returns>
    public static int WriteDelivered(Span<byte> to, MessageEnvelope envelope, int generation, int index) => envelope switch
    {
        MessageEnvelope.None => Write(to, Escaped[index % Sites], EscapedAt[index % Sites], generation, index),
        MessageEnvelope.Sns => Write(to, EscapedNotifications[index % Sites], EscapedNotificationAt[index % Sites], generation, index),
        _ => WriteGzip(to, generation, index),
    };

    /// <summary>The MD5 of what the queue delivers.</summary>
    public static UInt128 DeliveredMd5(MessageEnvelope envelope, int generation, int index)
    {
        Span<byte> delivered = stackalloc byte[MaxDelivered];
        int length = envelope switch
        {
            MessageEnvelope.None => Write(delivered, generation, index),
            MessageEnvelope.Sns => Write(delivered, Notifications[index % Sites], NotificationAt[index % Sites], generation, index),
            _ => WriteGzip(delivered, generation, index),
        };
        return Md5(delivered[..length]);
    }

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

    // Base64 needs no escapes.
    private static int WriteGzip(Span<byte> to, int generation, int index)
    {
        byte[] body = new byte[Length];
        Write(body, generation, index);
        MemoryStream compressed = new(Length);
        using (GZipStream gzip = new(compressed, CompressionLevel.Fastest, leaveOpen: true))
        {
            gzip.Write(body);
        }

        Base64.EncodeToUtf8(compressed.GetBuffer().AsSpan(0, (int)compressed.Length), to, out _, out int written);
        return written;
    }

    private static byte[] Escape(byte[] json) => JsonEncodedText.Encode(json, JavaScriptEncoder.UnsafeRelaxedJsonEscaping).EncodedUtf8Bytes.ToArray();

    // With all that SNS sends, of its lengths.
    private static byte[] Notify(byte[] escaped) =>
    [
        .. "{\"Type\":\"Notification\",\"MessageId\":\"22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324\",\"TopicArn\":\"arn:aws:sns:eu-west-1:123456789012:orders\",\"Message\":\""u8,
        .. escaped,
        .. "\",\"Timestamp\":\"2026-01-31T10:00:00.000Z\",\"SignatureVersion\":\"1\",\"Signature\":\""u8,
        .. Enumerable.Repeat((byte)'A', 344),
        .. "\",\"SigningCertURL\":\"https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem\",\"UnsubscribeURL\":\"https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=arn:aws:sns:eu-west-1:123456789012:orders:c9135db0-26c4-47ec-8998-413945fb5a96\"}"u8,
    ];

    private static int FindId(byte[] template) => template.AsSpan().IndexOf(Encoding.UTF8.GetBytes(Placeholder));

    private static byte[] Compose(int site)
    {
        string head = string.Create(
            CultureInfo.InvariantCulture,
            $$$"""{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"My Product","SiteKey":"Site Key {{{site}}}","EventName":"My Event","MessageId":"{{{Placeholder}}}","Payload":{"Customer":{"Id":48151623,"Country":"DE","Vip":false},"Lines":[""");
        string lines = string.Join(
            ',', Enumerable
                .Range(1, 6)
                .Select(
                    line => string.Create(
                        CultureInfo.InvariantCulture, $$"""{"Sku":"SKU-{{line * 7919}}","Quantity":{{line}},"Price":{{line * 3}}.95,"Currency":"EUR"}""")));
        string tail = "],\"Note\":\"";
        string end = "\"}}";
        int missing = Length - head.Length - lines.Length - tail.Length - end.Length;
        string note = string.Concat(Enumerable.Repeat("the quick brown fox jumps over the lazy dog; ", 30))[..missing];
        return Encoding.UTF8.GetBytes(head + lines + tail + note + end);
    }
}

/// <summary>What the queue delivers around a body.</summary>
internal enum MessageEnvelope
{
    None = 0,

    /// <summary>A notification of SNS.</summary>
    Sns,

    /// <summary>Base64 of gzip.</summary>
    Gzip,
}
