using System.IO.Compression;
using System.Text;
using System.Text.Json;
using Proof.Models;
using Quayside.Messaging.Envelopes.Compression;
using Quayside.Messaging.Envelopes.Encoding;
using Quayside.Messaging.Envelopes.Json;
using Quayside.Messaging.Envelopes.Sns;
using Quayside.Messaging.Envelopes.Splitting;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Proof.Fuzz.Targets;

/// <summary>Every envelope on every input: what is accepted is what the runtime's reader of the format takes out.</summary>
internal sealed class EnvelopeTarget : FuzzTarget
{
    private readonly (IEnvelope Envelope, Action<byte[], byte[], string[]> Check)[] _envelopes =
    [
        (new SnsEnvelope(),
            (body, content, _) => FuzzException.ThrowUnless(
                    content.AsSpan().SequenceEqual(Texts.Unescape(Last(body, "Message"))), "Sns: the content is not the text of Message")),
        (new EventBridgeEnvelope(),
            (body, content, _) => FuzzException.ThrowUnless(
                    content.AsSpan().SequenceEqual(System.Runtime.InteropServices.JsonMarshal.GetRawUtf8Value(Last(body, "detail"))),
                    "EventBridge: the content is not detail")),
        (new CloudEventsEnvelope(),
            (body, _,
                _) => FuzzException.ThrowUnless(Last(body, "specversion").ValueKind == JsonValueKind.String, "CloudEvents: accepted without specversion")),
        (new JsonArrayEnvelope(),
            (body, _, elements) => FuzzException.ThrowUnless(
                    Root(body)
                        .EnumerateArray()
                        .Select(element => Encoding.Latin1.GetString(System.Runtime.InteropServices.JsonMarshal.GetRawUtf8Value(element)))
                        .SequenceEqual(elements), "JsonArray: the elements differ")),
        (new JsonLinesEnvelope(),
            (_, _, elements) => FuzzException.ThrowUnless(
                elements.Length > 0 && elements.All(line => line.Length > 0 && !line.Contains('\n', StringComparison.Ordinal)), "JsonLines: a line is none")),
        (new Base64Envelope(),
            (body, content, _) => FuzzException.ThrowIfDifferent(
                    Encoding.ASCII.GetString(body).Where(char.IsAsciiLetterOrDigit).Count() * 3 / 4 <= content.Length + 3, true, "Base64: content is missing")),
        (new GzipEnvelope(), (body, content, _) => Compare(new GZipStream(new MemoryStream(body), CompressionMode.Decompress), content, "Gzip")),
    ];

    private const int MaxBytes = 1 << 16;

    public override int Slowness => 10;

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            """{"Type":"Notification","MessageId":"1","TopicArn":"t","Message":"{\"a\":\"\u00e9\"}"}""",
            """{"detail-type":"t","source":"s","detail":{"a":[1]}}""",
            """{"specversion":"1.0","id":"1","source":"s","type":"t","datacontenttype":"text/plain","data":"x"}""",
            """{"specversion":"1.0","id":"1","source":"s","type":"t","data_base64":"e30="}""",
            """[{"a":1}, "b" ,[]]""", "{\"a\":1}\n{\"b\":2}\r\n", "e30=", "_-8", "[]"),
        Gzip.Compress("{}"), [.. Gzip.Compress("a"), .. Gzip.Compress("b")], Gzip.Compress(new string('x', 100_000)),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        .. Texts.Json,
        .. Texts.Utf8(
            "\"Message\":", "\"Type\":\"SubscriptionConfirmation\"", "\"detail\":", "\"data\":", "\"data_base64\":", "\"datacontenttype\":\"a/json\"", "\n",
            "=", "-", "+"),
        [0x1F, 0x8B, 8], [0x01], [3, 0],
    ];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        HashCode seen = default;
        foreach ((IEnvelope envelope, Action<byte[], byte[], string[]> check) in _envelopes)
        {
            EnvelopeReading message = new();
            message.Open(new Wrapped(input), MaxBytes, maxElements: 100);
            envelope.UnwrapAsync(message, CancellationToken.None).AsTask().GetAwaiter().GetResult();
            FuzzException.ThrowUnless(
                message.Refusal.IsDecided || message.Content is not null || message.IsSplit, $"{envelope.GetType().Name} decided nothing");
            if (!message.Refusal.IsDecided)
            {
                check(input.ToArray(), message.Content?.ToArray() ?? [], [.. message.Elements.Select(element => Encoding.Latin1.GetString(element.Span))]);
            }

            seen.Add(message.Refusal.Reason);
            seen.Add(Scale(message.Elements.Count));
            message.Reset();
        }

        return seen.ToHashCode();
    }

    private static JsonElement Root(byte[] body)
    {
        int start = body is [0xEF, 0xBB, 0xBF, ..] ? 3 : 0;
        using JsonDocument document = JsonDocument.Parse(body.AsMemory(start));
        return document.RootElement.Clone();
    }

    private static JsonElement Last(byte[] body, string name) => Root(body).EnumerateObject().Last(member => Texts.IsName(member, name)).Value;

    private static void Compare(Stream twin, byte[] content, string format)
    {
        using MemoryStream expected = new();
        using (twin)
        {
            twin.CopyTo(expected);
        }

        FuzzException.ThrowUnless(expected.ToArray().AsSpan().SequenceEqual(content), $"{format}: the content is not what the runtime reads");
    }

    private sealed class Wrapped(ReadOnlyMemory<byte> body) : ReceivedMessage
    {
        public override ReadOnlyMemory<byte> Body => body;

        public override ReadOnlyMemory<byte> SourceId { get; } = "id"u8.ToArray();

        protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => default;
    }
}
