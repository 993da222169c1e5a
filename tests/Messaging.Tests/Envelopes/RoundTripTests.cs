using System.IO.Compression;
using System.IO.Hashing;
using System.Text;
using System.Text.Json;
using FsCheck;
using FsCheck.Fluent;
using Quayside.Messaging.Envelopes.Compression;
using Quayside.Messaging.Envelopes.Encoding;
using Quayside.Messaging.Envelopes.Json;
using Quayside.Messaging.Envelopes.Sns;
using Quayside.Messaging.Envelopes.Splitting;
using Quayside.Messaging.Unwrapping;

namespace Messaging.Tests.Envelopes;

/// <summary>unwrap(wrap(x)) is x, for every envelope and every split: wrapped by the libraries that senders use.</summary>
public sealed class RoundTripTests
{
    private static readonly Gen<byte[]> Bytes = Gen.Choose(0, 300).SelectMany(length => Gen.Choose(0, 255).Select(value => (byte)value).ArrayOf(length));
    private static readonly Gen<byte[]> LongBytes = Gen.OneOf(
        Bytes, Gen
            .Choose(0, 70_000)
            .SelectMany(length => Gen.Choose(0, 250).Select(seed => Enumerable.Range(0, length).Select(i => (byte)((i * seed) >> 3)).ToArray())));
    private static readonly Gen<string> Texts = Gen.OneOf(
        Gen.Elements("\"", "\\", "/", "\n", "\u0000", "\u007f", "ä", "€", "\U0001F600", "\u2028", "a", "{\"x\":1}", "[", " ").ArrayOf().Select(string.Concat),
        Gen.Choose(0, 5_000).Select(length => new string('x', length) + "é"));

    public static TheoryData<string> Binary => ["Base64", "Base64Url", "Base64Lines", "Gzip", "GzipMembers", "GzipHeader", "CloudEventBytes"];

    [Theory]
    [MemberData(nameof(Binary))]
    public void Bytes_OfEveryKind_AreTheSameAfterTheEnvelope(string kind) => Prop.ForAll(
        LongBytes.Where(bytes => bytes.Length > 0).ToArbitrary(),
        bytes => Convert.ToHexString(Opened.By(EnvelopeOf(kind), Wrap(kind, bytes)).Content) == Convert.ToHexString(bytes)).QuickCheckThrowOnFailure();

    [Fact]
    public void Text_OfANotification_IsTheSameHoweverItIsEscaped() => Prop.ForAll(
        Texts.ToArbitrary(),
        Gen.Elements(0, 1, 2).ToArbitrary(),
        (text, escaping) =>
            Opened.By(
                new SnsEnvelope(),
                Encoding.UTF8.GetBytes($$"""{"Type":"Notification","MessageId":"1","TopicArn":"t","Message":{{Escape(text, escaping)}} }""")).Text == text)
                .QuickCheckThrowOnFailure();

    [Fact]
    public void Json_OfAnEvent_IsTheSameByteForByte() => Prop.ForAll(
        Texts.ToArbitrary(),
        Gen.Elements(0, 1, 2).ToArbitrary(),
        (text, escaping) =>
        {
            string json = $$"""{ "a" : [ {{Escape(text, escaping)}}, 1e3 ] }""";
            return Opened.By(new EventBridgeEnvelope(), Encoding.UTF8.GetBytes($$"""{"detail":{{json}},"source":"s","detail-type":"t"}""")).Text == json
                && Opened.By(
                    new CloudEventsEnvelope(),
                    Encoding.UTF8.GetBytes($$"""{"specversion":"1.0","id":"1","source":"s","type":"t","data":{{json}} }""")).Text == json;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Elements_OfAnArrayAndOfLines_AreTheSameByteForByte() => Prop.ForAll(
        Texts.Select(text => Escape(text, text.Length % 3)).ArrayOf().Where(elements => elements.Length > 0).ToArbitrary(),
        Gen.Elements("", " ", "\r\n", "\t").ToArbitrary(),
        (elements, blank) =>
            Opened.By(
                new JsonArrayEnvelope(),
                Encoding.UTF8.GetBytes($"{blank}[{blank}{string.Join($"{blank},{blank}", elements)}{blank}]{blank}")).Elements.SequenceEqual(elements)
            && Opened.By(new JsonLinesEnvelope(), Encoding.UTF8.GetBytes(string.Join($"{blank}\n{blank}", elements) + blank)).Elements.SequenceEqual(elements))
            .QuickCheckThrowOnFailure();

    private static IEnvelope EnvelopeOf(string kind) => kind switch
    {
        "Gzip" or "GzipMembers" or "GzipHeader" => new GzipEnvelope(),
        "CloudEventBytes" => new CloudEventsEnvelope(),
        _ => new Base64Envelope(),
    };

    private static byte[] Wrap(string kind, byte[] bytes) => kind switch
    {
        "Base64" => Encoding.ASCII.GetBytes(Convert.ToBase64String(bytes)),
        "Base64Url" => Encoding.ASCII.GetBytes(System.Buffers.Text.Base64Url.EncodeToString(bytes)),
        "Base64Lines" => Encoding.ASCII.GetBytes(Convert.ToBase64String(bytes, Base64FormattingOptions.InsertLineBreaks) + "\n"),
        "Gzip" => Compress(bytes, stream => new GZipStream(stream, CompressionLevel.Optimal)),
        "GzipMembers" =>
            [.. Compress(bytes[..(bytes.Length / 3)], stream => new GZipStream(stream, CompressionLevel.NoCompression)),
                .. Compress(bytes[(bytes.Length / 3)..], stream => new GZipStream(stream, CompressionLevel.SmallestSize))],
        "GzipHeader" => WithHeader(Compress(bytes, stream => new GZipStream(stream, CompressionLevel.Fastest))),
        "CloudEventBytes" =>
            Encoding.UTF8.GetBytes($$"""{"specversion":"1.0","id":"1","source":"s","type":"t","data_base64":"{{Convert.ToBase64String(bytes)}}"}"""),
        _ => throw new ArgumentOutOfRangeException(nameof(kind)),
    };

    private static string Escape(string text, int escaping) => escaping switch
    {
        0 => JsonSerializer.Serialize(text),
        1 => JsonSerializer.Serialize(text, new JsonSerializerOptions { Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping }),
        _ => $"\"{string.Concat(text.Select(unit => $"\\u{(int)unit:x4}"))}\"",
    };

    private static byte[] Compress(byte[] bytes, Func<Stream, Stream> compress)
    {
        MemoryStream compressed = new();
        using (Stream stream = compress(compressed))
        {
            stream.Write(bytes);
        }

        return compressed.ToArray();
    }

    private static byte[] WithHeader(byte[] member)
    {
        byte[] header = [0x1F, 0x8B, 8, 2 + 4 + 8 + 16, .. member[4..10], 3, 0, 1, 2, 3, .. "name\0comment\0"u8];
        uint checksum = Crc32.HashToUInt32(header);
        return [.. header, (byte)checksum, (byte)(checksum >> 8), .. member[10..]];
    }
}
