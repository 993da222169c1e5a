using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using Quayside.Messaging.Envelopes.Json;
using Quayside.Messaging.Envelopes.Splitting;

namespace Proof.Fuzz.Targets;

/// <summary>CloudEvents beside JsonDocument; every input as the data of an event, in structured and binary mode and in a batch, is itself again.</summary>
internal sealed class CloudEventsTarget : FuzzTarget
{
    private const string Start = "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"s\",\"type\":\"t\",";

    private readonly CloudEventsEnvelope _envelope = new();
    private readonly JsonArrayEnvelope _batch = new();

    public override int Slowness => 5;

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            Start + "\"data\":{\"a\":1}}", Start + "\"datacontenttype\":\"text/plain\",\"data\":\"x\\u00e9\"}", Start + "\"data\":\"{}\"}",
            Start + "\"data_base64\":\"e30=\"}",
            Start + "\"datacontenttype\":\"application/cloud+json; charset=utf-8\",\"data\":\"x\"}", Start + "\"data\":null}",
            $"[{Start}\"data\":1}},{Start}\"data_base64\":\"AA==\"}}]", "{}", "\"x\""),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } = [
        .. Texts.Json,
        .. Texts.Utf8("\"data\":", "\"data_base64\":", "\"datacontenttype\":", "text/plain", "a/json", "\"specversion\":", "\"id\":\"\"", "=", Start)];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        byte[] bytes = input.ToArray();
        Unwrapped result = Unwrapped.By(_envelope, input);
        if (result.IsAccepted)
        {
            CheckStructured(bytes, result.Content);
        }

        HashCode seen = default;
        seen.Add(result.Refusal);
        Unwrapped batch = Unwrapped.By(_batch, input);
        seen.Add(batch.Refusal);
        foreach (byte[] element in batch.Elements)
        {
            Unwrapped one = Unwrapped.By(_envelope, element);
            seen.Add(one.Refusal);
            if (one.IsAccepted)
            {
                CheckStructured(element, one.Content);
            }
        }

        CheckRoundTrips(bytes);
        return seen.ToHashCode();
    }

    private void CheckRoundTrips(byte[] bytes)
    {
        Unwrapped.CheckRoundTrip("binary mode", _envelope, bytes, bytes, new("ce-specversion", "1.0"), new("ce-id", "1"));
        byte[] encoded = Encoding.ASCII.GetBytes($"{Start}\"data_base64\":\"{Convert.ToBase64String(bytes)}\"}}");
        Unwrapped.CheckRoundTrip("data_base64", _envelope, encoded, bytes);
        byte[] data = encoded;
        ReadOnlySpan<byte> expected = bytes;
        if (IsJson(bytes))
        {
            data = [.. Encoding.ASCII.GetBytes(Start + "\"datacontenttype\":\"application/json\",\"data\":"), .. bytes, (byte)'}'];
            expected = bytes.AsSpan().Trim(" \t\r\n"u8);
            Unwrapped.CheckRoundTrip("data", _envelope, data, expected);
        }

        Unwrapped both = Unwrapped.By(_batch, (byte[])[(byte)'[', .. data, (byte)',', .. encoded, (byte)']']);
        FuzzException.ThrowUnless(both.Elements.Count == 2, "a batch of two is not two events");
        Unwrapped.CheckRoundTrip("the first of a batch", _envelope, both.Elements[0], expected);
        Unwrapped.CheckRoundTrip("the second of a batch", _envelope, both.Elements[1], bytes);
    }

    // One level less than the scanner allows, because the event is one more.
    private static bool IsJson(byte[] bytes)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(bytes, new JsonDocumentOptions { MaxDepth = 32 });
            return true;
        }
        catch (JsonException)
        {
            return false;
        }
    }

    private static void CheckStructured(byte[] body, byte[] content)
    {
        using JsonDocument document = JsonDocument.Parse(body.AsMemory(body is [0xEF, 0xBB, 0xBF, ..] ? 3 : 0), new JsonDocumentOptions { MaxDepth = 1_000 });
        JsonElement? Last(string name)
        {
            JsonElement found = document.RootElement.EnumerateObject().LastOrDefault(member => Texts.IsName(member, name)).Value;
            return found.ValueKind == JsonValueKind.Undefined ? null : found;
        }

        FuzzException.ThrowUnless(
            ((string[])["specversion", "id", "source", "type"]).All(name => Last(name)?.ValueKind == JsonValueKind.String),
            "accepted without its four strings");
        if (Last("data_base64") is { ValueKind: JsonValueKind.String } encoded)
        {
            FuzzException.ThrowUnless(
                Convert.FromBase64String(Encoding.Latin1.GetString(Texts.Unescape(encoded))).AsSpan().SequenceEqual(content), "the content is not data_base64");
            return;
        }

        ReadOnlySpan<byte> raw = JsonMarshal.GetRawUtf8Value(Last("data")!.Value);
        bool isRaw = raw.SequenceEqual(content);
        bool isText = Last("data") is { ValueKind: JsonValueKind.String } text && Texts.Unescape(text).AsSpan().SequenceEqual(content);
        FuzzException.ThrowUnless(isRaw || isText, "the content is neither data nor its text");
    }
}
