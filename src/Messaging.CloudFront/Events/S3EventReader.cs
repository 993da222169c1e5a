using System.Text;
using System.Text.Json;
using System.Text.Unicode;
using Quayside.Messaging.Json;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CloudFront.Events;

/// <summary>
/// Reads S3 event notifications (versions 2.x), as S3 sends them to a queue, and S3's events from EventBridge; either may be wrapped in the
/// envelope of SNS. It skips unknown properties. Poison is a value: no body makes it throw. Immutable: one instance serves all threads.
/// </summary>
/// <param name="buckets">The buckets whose objects may be read.</param>
/// <param name="prefix">Begins the keys of logs; may be empty.</param>
/// <param name="encoding">How notifications spell keys. EventBridge's events have them unchanged.</param>
internal sealed class S3EventReader(IReadOnlyCollection<string> buckets, string prefix, KeyEncoding encoding = KeyEncoding.Url)
{
    // S3's have at most 40 characters.
    private const int MaxETag = 256;

    private readonly HashSet<string> _buckets = new(buckets, StringComparer.Ordinal);

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>Reads one message.</summary>
    public S3Event Read(ReadOnlyMemory<byte> body)
    {
        try
        {
            return Read(body, isEnveloped: false);
        }
        catch (JsonException)
        {
            return Poison(EventFault.MalformedJson, JsonReasons.AdviceFor(body.Span).Trim());
        }
        catch (InvalidOperationException)
        {
            // GetString throws on a lone surrogate.
            return Poison(EventFault.InvalidUtf8, "An escape encodes half a surrogate pair.");
        }
    }

    private S3Event Read(ReadOnlyMemory<byte> body, bool isEnveloped)
    {
        if (!Utf8.IsValid(body.Span))
        {
            return Poison(EventFault.InvalidUtf8, JsonReasons.AdviceFor(body.Span).Trim());
        }

        body = body.Span.StartsWith(ByteOrderMark) ? body[ByteOrderMark.Length..] : body;
        if (body.Span.Trim(" \t\r\n"u8).IsEmpty)
        {
            return Poison(EventFault.EmptyBody);
        }

        using JsonDocument document = JsonDocument.Parse(body);
        return Read(document, isEnveloped);
    }

    private S3Event Read(JsonDocument document, bool isEnveloped)
    {
        EventFields fields = new();
        JsonElement? root = document.RootElement.ValueKind == JsonValueKind.Object ? document.RootElement : null;
        JsonElement? records = fields.Find(root, "Records"u8);
        JsonElement? message = fields.Find(root, "Message"u8);
        if (fields.Fault is not null)
        {
            return Poison(fields.Fault, fields.Detail);
        }

        return (records?.ValueKind, message?.ValueKind) switch
        {
            (JsonValueKind.Array, _) => ReadRecords(records.Value, fields),
            _ when fields.Find(root, "Event"u8) is { ValueKind: JsonValueKind.String } test && test.ValueEquals("s3:TestEvent"u8) =>
                new S3Event([], Ignored: 1),
            _ when fields.Find(root, "detail-type"u8) is { ValueKind: JsonValueKind.String } && fields.Text(root, "source"u8) == "aws.s3" =>
                ReadEventBridge(root, fields),
            (_, JsonValueKind.String) when !isEnveloped => ReadEnveloped(root, message.Value.GetString()!, fields),
            _ => Poison(
                EventFault.NoRecords,
                $"The body has neither a property Records with an array nor the property Event with s3:TestEvent.{DescribeOther(root, fields)}"),
        };
    }

    // The body's own JSON is well formed, so a text in Message that is no JSON does not make the message malformed.
    private S3Event ReadEnveloped(JsonElement? root, string message, EventFields fields)
    {
        string other = DescribeOther(root, fields);
        if (other.Length == 0)
        {
            try
            {
                S3Event read = Read(Encoding.UTF8.GetBytes(message), isEnveloped: true);
                return read.Fault == EventFault.EmptyBody ? Poison(EventFault.NoRecords, "The property Message is empty.") : read;
            }
            catch (JsonException)
            {
                other = " It has a property Message, as SNS sends it, but its text is not JSON.";
            }
        }

        return Poison(EventFault.NoRecords, $"The body has no property Records.{other}");
    }

    private static string DescribeOther(JsonElement? root, EventFields fields)
    {
        if (fields.Find(root, "Type"u8) is { ValueKind: JsonValueKind.String } type
            && (type.ValueEquals("SubscriptionConfirmation"u8) || type.ValueEquals("UnsubscribeConfirmation"u8)))
        {
            return " SNS sent it to ask for a confirmation, and it announces no object. Confirm the subscription with its SubscribeURL; the worker does not.";
        }

        return fields.Find(root, "detail-type"u8) is null
            ? string.Empty
            : " It is an event of EventBridge, but its source is not aws.s3: let the rule send the bucket's events only.";
    }

    private S3Event ReadEventBridge(JsonElement? root, EventFields fields)
    {
        LogObject? log = null;
        if (fields.Text(root, "detail-type"u8) == "Object Created")
        {
            JsonElement? detail = fields.Object(root, "detail"u8);
            JsonElement? found = fields.Object(detail, "object"u8);
            log = Select(
                fields.Text(fields.Object(detail, "bucket"u8), "name"u8),
                fields.Text(found, "key"u8),
                KeyEncoding.None,
                fields.Text(found, "version-id"u8),
                fields.Text(found, "etag"u8),
                fields);
        }

        return fields.Fault is not null ? Poison(fields.Fault, fields.Detail)
            : log is null ? new S3Event([], Ignored: 1)
            : new S3Event([log], Ignored: 0);
    }

    // An empty list requests nothing; the message is acknowledged.
    private S3Event ReadRecords(JsonElement records, EventFields fields)
    {
        List<LogObject> objects = [];
        int ignored = 0;
        foreach (JsonElement record in records.EnumerateArray())
        {
            if (ReadRecord(record, fields) is { } log)
            {
                objects.Add(log);
            }
            else if (fields.Fault is not null)
            {
                return Poison(fields.Fault, fields.Detail);
            }
            else
            {
                ignored++;
            }
        }

        return new S3Event([.. objects], ignored);
    }

    /// <returns>Null for a record that is ignored or has a fault.</returns>
    private LogObject? ReadRecord(JsonElement record, EventFields fields)
    {
        bool isObject = record.ValueKind == JsonValueKind.Object;
        JsonElement? root = isObject ? record : null;
        JsonElement? s3 = fields.Object(root, "s3"u8);
        JsonElement? found = fields.Object(s3, "object"u8);
        string? eventName = fields.Text(root, "eventName"u8);
        string? bucket = fields.Text(fields.Object(s3, "bucket"u8), "name"u8);
        string? key = fields.Text(found, "key"u8);
        string? version = fields.Text(found, "versionId"u8);
        string? eTag = fields.Text(found, "eTag"u8);
        if (eventName is null)
        {
            fields.Fail(EventFault.BadRecord, isObject ? "A record has no eventName." : "A record is not an object.");
            return null;
        }

        return IsCreation(eventName) ? Select(bucket, key, encoding, version, eTag, fields) : null;
    }

    /// <returns>Null for an object that is ignored or has a fault.</returns>
    private LogObject? Select(string? bucket, string? text, KeyEncoding encoding, string? version, string? eTag, EventFields fields)
    {
        string? key = null;
        if (bucket is null || text is null)
        {
            fields.Fail(EventFault.BadRecord, "A record has no bucket name or no key.");
        }
        else if (!_buckets.Contains(bucket))
        {
            fields.Fail(
                EventFault.WrongBucket,
                $"The bucket {UntrustedText.Shorten(bucket)} is not listed in {CloudFrontOptions.Section}:{nameof(CloudFrontOptions.Buckets)}.");
        }
        else if (!FormKey.TryRead(text, encoding, out key))
        {
            string unencoded = encoding == KeyEncoding.None
                ? string.Empty
                : " is not URL-encoded as S3 encodes keys (some stores, such as Ceph, do not encode them: set "
                    + $"{CloudFrontOptions.Section}:{nameof(CloudFrontOptions.KeyEncoding)} to None),";
            fields.Fail(
                EventFault.BadKey,
                $"A key is empty, is longer than 1,024 bytes,{unencoded} begins with a slash, or has a zero byte or a segment . "
                    + $"or .. in it: {UntrustedText.Shorten(text)}");
        }
        else if (!IsETag(eTag))
        {
            fields.Fail(EventFault.BadRecord, "A record's eTag is not an ETag.");
        }

        return fields.Fault is null && key!.StartsWith(prefix, StringComparison.Ordinal)
            ? new LogObject(bucket!, key!, NullIfEmpty(version), NullIfEmpty(eTag), text == key ? null : text)
            : null;
    }

    // "ObjectCreated:Put" in a notification, "s3:ObjectCreated:Put" from some S3-compatible stores.
    private static bool IsCreation(string eventName) =>
        eventName.StartsWith("ObjectCreated:", StringComparison.Ordinal) || eventName.StartsWith("s3:ObjectCreated:", StringComparison.Ordinal);

    // It becomes a header, which takes no other characters.
    private static bool IsETag(string? eTag) =>
        NullIfEmpty(eTag) is not { } text || (text.Length <= MaxETag && text.All(character => character is > ' ' and <= '~' and not '"'));

    private static string? NullIfEmpty(string? text) => string.IsNullOrEmpty(text) ? null : text.Trim('"');

    private static S3Event Poison(string fault, string detail = "") => new([], Ignored: 0, fault, detail);
}
