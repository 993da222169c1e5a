using System.Text.Json;
using System.Text.Unicode;

namespace Messaging.CloudFront.Events;

/// <summary>
/// Reads S3 event notifications (versions 2.x), as S3 puts them into a queue or inside the envelope that SNS puts around them.
/// Properties it does not know are skipped. Poison is a value; nothing is thrown for any body. Immutable: one instance serves all threads.
/// </summary>
/// <param name="buckets">The buckets whose objects may be read.</param>
/// <param name="filter">Which of their keys are logs.</param>
internal sealed class S3EventReader(IReadOnlyCollection<string> buckets, KeyFilter filter)
{
    private static readonly JsonReaderOptions Strict = new() { MaxDepth = 64, CommentHandling = JsonCommentHandling.Disallow };

    private readonly HashSet<string> _buckets = new(buckets, StringComparer.Ordinal);

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>Reads one message.</summary>
    public S3Event Read(ReadOnlySpan<byte> body)
    {
        try
        {
            return Read(body, isEnveloped: false);
        }
        catch (JsonException)
        {
            return Poison(EventFault.MalformedJson);
        }
        catch (InvalidOperationException)
        {
            // What Utf8JsonReader throws for text that has no UTF-16 form: a lone surrogate as an escape.
            return Poison(EventFault.InvalidUtf8, "An escape stands for half a surrogate pair.");
        }
    }

    private S3Event Read(ReadOnlySpan<byte> body, bool isEnveloped)
    {
        if (!Utf8.IsValid(body))
        {
            return Poison(EventFault.InvalidUtf8);
        }

        body = body.StartsWith(ByteOrderMark) ? body[ByteOrderMark.Length..] : body;
        if (body.Trim(" \t\r\n"u8).IsEmpty)
        {
            return Poison(EventFault.EmptyBody);
        }

        Utf8JsonReader json = new(body, Strict);
        json.Read();
        EventRecords? records = null;
        string? test = null;
        string? enveloped = null;
        if (json.TokenType != JsonTokenType.StartObject)
        {
            json.Skip();
        }
        else
        {
            while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
            {
                bool isRecords = json.ValueTextEquals("Records"u8);
                bool isTest = json.ValueTextEquals("Event"u8);
                bool isMessage = json.ValueTextEquals("Message"u8);
                json.Read();
                if ((isRecords && records is not null) || (isMessage && enveloped is not null))
                {
                    return Poison(EventFault.DuplicateProperty, isRecords ? "Records" : "Message");
                }

                if (isRecords && json.TokenType == JsonTokenType.StartArray)
                {
                    records = EventRecords.Read(ref json);
                }
                else if (isTest && json.TokenType == JsonTokenType.String)
                {
                    test = json.GetString();
                }
                else if (isMessage && json.TokenType == JsonTokenType.String)
                {
                    enveloped = json.GetString();
                }
                else
                {
                    json.Skip();
                }
            }
        }

        // The whole body must be JSON before anything of it counts.
        while (json.Read())
        {
        }

        return (records, test, enveloped) switch
        {
            ({ } found, _, _) => Judge(found),
            (null, "s3:TestEvent", _) => new S3Event([], Ignored: 1),
            (null, _, { } message) when !isEnveloped => Read(System.Text.Encoding.UTF8.GetBytes(message), isEnveloped: true),
            _ => Poison(EventFault.NoRecords, "Neither a property Records with an array, nor s3:TestEvent."),
        };
    }

    private S3Event Judge(EventRecords records)
    {
        if (records.Fault != EventFault.None)
        {
            return Poison(records.Fault, records.Detail);
        }

        List<LogObject> objects = [];
        int ignored = 0;
        foreach (EventRecord record in records.All)
        {
            if (!record.IsCreation)
            {
                ignored++;
                continue;
            }

            if (record.Bucket is null || record.Key is null)
            {
                return Poison(EventFault.BadRecord, "A record has no bucket name or no key.");
            }

            if (!_buckets.Contains(record.Bucket))
            {
                return Poison(EventFault.WrongBucket, $"The bucket {Telemetry.UntrustedText.Shorten(record.Bucket)} is not among {CloudFrontOptions.Section}:{nameof(CloudFrontOptions.Buckets)}.");
            }

            if (!FormKey.TryDecode(record.Key, out string? key))
            {
                return Poison(EventFault.BadKey, "A key is empty, longer than 1,024 bytes, not encoded as S3 does it, begins with a slash, or has a segment . or .. in it.");
            }

            if (!filter.Takes(key))
            {
                ignored++;
                continue;
            }

            objects.Add(new LogObject(record.Bucket, key, NullIfEmpty(record.VersionId), NullIfEmpty(record.ETag)));
        }

        // An empty list asks for nothing and is acknowledged.
        return new S3Event([.. objects], ignored);
    }

    private static string? NullIfEmpty(string? text) => string.IsNullOrEmpty(text) ? null : text.Trim('"');

    private static S3Event Poison(EventFault fault, string detail = "") => new([], Ignored: 0, fault, detail);
}
