using System.Text;
using System.Text.Json;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Pipeline.Buffers;

namespace Proof.Fuzz.Targets;

/// <summary>Receive responses, read in place, beside <see cref="JsonDocument"/>.</summary>
internal sealed class SqsReceiveTarget : FuzzTarget
{
    private const int Requested = 3;

    private readonly BufferPool _buffers = new();

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{\"Messages\":[{\"MessageId\":\"i\",\"ReceiptHandle\":\"h\\/1==\",\"MD5OfBody\":\"x\",\"Body\":\"{\\\"a\\\":\\\"\\u00e9\\ud83d\\ude00\\n\\\"}\","
                + "\"Attributes\":{\"ApproximateReceiveCount\":\"3\",\"SentTimestamp\":\"1792000000123\",\"ApproximateFirstReceiveTimestamp\":1792000001456,"
                + "\"MessageGroupId\":\"g\"}}]}",
            "{\"Messages\":[{\"MessageId\":\"1\",\"ReceiptHandle\":\"a\",\"Body\":\"\"},{\"MessageId\":\"2\",\"ReceiptHandle\":\"b\",\"Body\":\"\\ud800\"},"
                + "{\"Body\":1},{\"MessageId\":\"4\",\"ReceiptHandle\":\"d\",\"Body\":\"x\"},{\"MessageId\":\"5\",\"ReceiptHandle\":\"e\",\"Body\":\"y\"}]}",
            "{\"Messages\":[{\"MessageId\":\"i\",\"ReceiptHandle\":\"h\",\"MD5OfBody\":\"d41d8cd98f00b204e9800998ecf8427e\",\"Body\":\"\","
                + "\"Attributes\":{\"AWSTraceHeader\":\"t\"},\"MessageAttributes\":{\"traceparent\":{\"DataType\":\"String\",\"StringValue\":\"t\"},"
                + "\"b\":{\"DataType\":\"Binary\",\"BinaryValue\":\"Yg==\"}}}]}",
            "{}", "{\"Messages\":[]}", "{\"Messages\":null}"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        .. Texts.Json, .. Texts.Utf8(
            "\"Messages\":[", "\"MessageId\":\"", "\"ReceiptHandle\":\"", "\"Body\":\"", "\"Attributes\":{", "\"ApproximateReceiveCount\":",
            "\"SentTimestamp\":\"", "\"MessageGroupId\":\"g\",", "-1", "99999999999999999999",
            "\"MessageAttributes\":{\"a\":{\"DataType\":\"String\",\"StringValue\":\"b\"}},", "\"AWSTraceHeader\":\"t\",", "\"MD5OfBody\":\"",
            "\"BinaryValue\":\"YQ==\",", "{\"MessageId\":\"i\",\"ReceiptHandle\":\"h\",\"Body\":\"b\"}", "},{", "\\\\", "\\\""),
    ];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        List<string>? expected = Expect(input);
        PooledBuffer response = _buffers.Rent(input.Length);
        response.Append(input.Span);
        SqsReceivedMessage[] messages = [.. Enumerable.Range(0, Requested).Select(_ => new SqsReceivedMessage(owner: null))];
        try
        {
            (int count, _) = new ReceiveBatch(pool: null).Open(response, messages);
            messages = messages[..count];
        }
        catch (JsonException)
        {
            response.Dispose();
            FuzzException.ThrowUnless(expected is null, "A response was refused that the twin reads");
            return 0;
        }

        FuzzException.ThrowUnless(expected is not null, "A response was read that the twin refuses");
        int signature = messages.Length;
        foreach (SqsReceivedMessage message in messages)
        {
            message.MessageAttributes.Find("traceparent"u8);
            signature = HashCode.Combine(signature, Scale(message.ReceiveCount), Scale(message.Body.Length));
        }

        FuzzException.ThrowIfDifferent(string.Join('\n', messages.Select(Show)), string.Join('\n', expected!.Take(Requested)), "messages");
        foreach (SqsReceivedMessage message in messages)
        {
            message.ReleaseBody();
        }

        FuzzException.ThrowIfDifferent(_buffers.Outstanding, 0, "buffers that were not returned");
        return signature;
    }

    private static string Show(SqsReceivedMessage message) => Show(
        message.Body.Span, message.Handle.Span, message.SourceId.Span, message.GroupId.Span, message.TraceHeader.Span, message.ReceiveCount, message.SentUnixMs,
        message.FirstReceiveUnixMs)
        + $"|{string.Join('|', message.MessageAttributes.ToList().Select(attribute => $"{attribute.Name},{attribute.DataType},{attribute.StringValue},{Convert.ToHexString(attribute.BinaryValue.Span)}"))}";

    private static string Show(
        ReadOnlySpan<byte> body, ReadOnlySpan<byte> handle, ReadOnlySpan<byte> id, ReadOnlySpan<byte> group, ReadOnlySpan<byte> trace, int count, long sent,
        long first) =>
        $"{Text(body)}|{Text(handle)}|{Text(id)}|{Text(group)}|{Text(trace)}|{count}|{sent}|{first}";

    private static string Text(ReadOnlySpan<byte> bytes) => Encoding.Latin1.GetString(bytes);

    /// <summary>The messages of the response; null for what is not a receive response.</summary>
    private static List<string>? Expect(ReadOnlyMemory<byte> input)
    {
        using JsonDocument? document = Texts.Parse(input);
        if (document is null || document.RootElement.ValueKind != JsonValueKind.Object)
        {
            return null;
        }

        List<string> messages = [];
        foreach (JsonElement list in document.RootElement
            .EnumerateObject()
            .Where(property => Texts.IsName(property, "Messages"))
            .Select(property => property.Value))
        {
            if (list.ValueKind == JsonValueKind.Null)
            {
                continue;
            }

            if (list.ValueKind != JsonValueKind.Array || list.EnumerateArray().Any(message => message.ValueKind != JsonValueKind.Object))
            {
                return null;
            }

            messages.AddRange(list.EnumerateArray().Select(Expect).OfType<string>());
        }

        return messages;
    }

    private static string? Expect(JsonElement message)
    {
        Dictionary<string, byte[]> texts =
            new() { ["Body"] = [], ["ReceiptHandle"] = [], ["MessageId"] = [], ["MessageGroupId"] = [], ["AWSTraceHeader"] = [] };
        string attributes = string.Empty;
        Dictionary<string, long> numbers = [];
        bool hasBody = false;
        foreach (JsonProperty property in message.EnumerateObject())
        {
            string? name =
                Array.Find(["Body", "ReceiptHandle", "MessageId", "Attributes", "MessageAttributes"], name => Texts.IsName(property, name));
            hasBody = name == "Body" ? property.Value.ValueKind == JsonValueKind.String : hasBody;
            if (name == "Attributes" && property.Value.ValueKind == JsonValueKind.Object)
            {
                foreach (JsonProperty attribute in property.Value.EnumerateObject())
                {
                    string? text = Array.Find(["MessageGroupId", "AWSTraceHeader"], name => Texts.IsName(attribute, name));
                    string? number =
                        Array.Find(["ApproximateReceiveCount", "SentTimestamp", "ApproximateFirstReceiveTimestamp"], name => Texts.IsName(attribute, name));
                    if (text is not null && attribute.Value.ValueKind == JsonValueKind.String)
                    {
                        texts[text] = Texts.Unescape(attribute.Value);
                    }
                    else if (number is not null)
                    {
                        numbers[number] = Number(attribute.Value);
                    }
                }
            }
            else if (name == "MessageAttributes")
            {
                attributes = property.Value.ValueKind == JsonValueKind.Object ? ShowAttributes(property.Value) : string.Empty;
            }
            else if (name is not (null or "Attributes") && property.Value.ValueKind == JsonValueKind.String)
            {
                texts[name] = Texts.Unescape(property.Value);
            }
        }

        return hasBody && texts["ReceiptHandle"].Length > 0 && texts["MessageId"].Length > 0
            ? Show(
                texts["Body"], texts["ReceiptHandle"], texts["MessageId"], texts["MessageGroupId"], texts["AWSTraceHeader"],
                (int)Math.Clamp(numbers.GetValueOrDefault("ApproximateReceiveCount"), 0, int.MaxValue), numbers.GetValueOrDefault("SentTimestamp"),
                numbers.GetValueOrDefault("ApproximateFirstReceiveTimestamp"))
                + $"|{attributes}"
            : null;
    }

    private static string ShowAttributes(JsonElement attributes) =>
        string.Join('|', attributes.EnumerateObject().Where(attribute => attribute.Value.ValueKind == JsonValueKind.Object).Select(attribute =>
        {
            Dictionary<string, byte[]> values = [];
            foreach (JsonProperty property in attribute.Value.EnumerateObject().Where(property => property.Value.ValueKind == JsonValueKind.String))
            {
                string? name = Array.Find(["DataType", "StringValue", "BinaryValue"], name => Texts.IsName(property, name));
                byte[] value = Texts.Unescape(property.Value);
                if (name == "BinaryValue")
                {
                    byte[] binary = new byte[value.Length];
                    if (Convert.TryFromBase64String(Encoding.UTF8.GetString(value), binary, out int length)
                        && IsCanonical(Encoding.UTF8.GetString(value), binary.AsSpan(0, length)))
                    {
                        values[name] = binary[..length];
                    }
                }
                else if (name is not null)
                {
                    values[name] = value;
                }
            }

            return $"{Encoding.UTF8.GetString(Texts.Unescape(attribute))},{Encoding.UTF8.GetString(values.GetValueOrDefault("DataType", []))},"
                + $"{Encoding.UTF8.GetString(values.GetValueOrDefault("StringValue", []))},{Convert.ToHexString(values.GetValueOrDefault("BinaryValue", []))}";
        }));

    // A whole number, as a number or a string without escapes; 0 for anything else.
    private static long Number(JsonElement value)
    {
        string raw = value.ValueKind is JsonValueKind.String or JsonValueKind.Number
            ? Text(System.Runtime.InteropServices.JsonMarshal.GetRawUtf8Value(value)).Trim('"')
            : string.Empty;
        return long.TryParse(raw, System.Globalization.NumberStyles.AllowLeadingSign, System.Globalization.CultureInfo.InvariantCulture, out long number)
            ? number
            : 0;
    }

    // The reader refuses bits that no byte takes, such as those of "Yg/=".
    private static bool IsCanonical(string text, ReadOnlySpan<byte> binary) =>
        string.Concat(text.Where(character => !char.IsWhiteSpace(character))) == Convert.ToBase64String(binary);
}
