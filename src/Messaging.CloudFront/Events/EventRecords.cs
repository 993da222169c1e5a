using System.Text.Json;

namespace Messaging.CloudFront.Events;

/// <summary>The records of an event, read without judging what they mean.</summary>
internal sealed class EventRecords
{
    private readonly List<EventRecord> _all = [];

    private EventRecords()
    {
    }

    /// <summary>The records up to the first wrong one.</summary>
    public IReadOnlyList<EventRecord> All => _all;

    /// <summary>What is wrong with a record's form; the first such.</summary>
    public EventFault Fault { get; private set; }

    /// <summary>For people: where.</summary>
    public string Detail { get; private set; } = string.Empty;

    /// <summary>Reads the array that the reader stands at, to its end.</summary>
    public static EventRecords Read(ref Utf8JsonReader json)
    {
        EventRecords records = new();
        while (json.Read() && json.TokenType != JsonTokenType.EndArray)
        {
            if (json.TokenType != JsonTokenType.StartObject)
            {
                records.Fail(EventFault.BadRecord, "A record is no object.");
                json.Skip();
                continue;
            }

            EventRecord record = records.ReadRecord(ref json);
            if (records.Fault == EventFault.None)
            {
                records._all.Add(record);
            }
        }

        return records;
    }

    private EventRecord ReadRecord(ref Utf8JsonReader json)
    {
        string? eventName = null;
        string? bucket = null;
        string? key = null;
        string? versionId = null;
        string? eTag = null;
        bool hasS3 = false;
        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
        {
            if (json.ValueTextEquals("eventName"u8))
            {
                ReadText(ref json, ref eventName);
            }
            else if (json.ValueTextEquals("s3"u8) && EnterObject(ref json))
            {
                Once(ref hasS3, "s3");
                ReadS3(ref json, ref bucket, ref key, ref versionId, ref eTag);
            }
            else
            {
                SkipValue(ref json);
            }
        }

        if (eventName is null)
        {
            Fail(EventFault.BadRecord, "A record has no eventName.");
        }

        return new EventRecord(IsCreation(eventName), bucket, key, versionId, eTag);
    }

    private void ReadS3(ref Utf8JsonReader json, ref string? bucket, ref string? key, ref string? versionId, ref string? eTag)
    {
        bool hasBucket = false;
        bool hasObject = false;
        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
        {
            if (json.ValueTextEquals("bucket"u8) && EnterObject(ref json))
            {
                Once(ref hasBucket, "bucket");
                while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
                {
                    if (json.ValueTextEquals("name"u8))
                    {
                        ReadText(ref json, ref bucket);
                    }
                    else
                    {
                        SkipValue(ref json);
                    }
                }
            }
            else if (json.ValueTextEquals("object"u8) && EnterObject(ref json))
            {
                Once(ref hasObject, "object");
                ReadObject(ref json, ref key, ref versionId, ref eTag);
            }
            else
            {
                SkipValue(ref json);
            }
        }
    }

    private void ReadObject(ref Utf8JsonReader json, ref string? key, ref string? versionId, ref string? eTag)
    {
        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
        {
            if (json.ValueTextEquals("key"u8))
            {
                ReadText(ref json, ref key);
            }
            else if (json.ValueTextEquals("versionId"u8))
            {
                ReadText(ref json, ref versionId);
            }
            else if (json.ValueTextEquals("eTag"u8))
            {
                ReadText(ref json, ref eTag);
            }
            else
            {
                SkipValue(ref json);
            }
        }
    }

    /// <summary>Reads a string, or null as if it were missing.</summary>
    private void ReadText(ref Utf8JsonReader json, ref string? text)
    {
        string name = json.GetString()!;
        json.Read();
        if (text is not null)
        {
            Fail(EventFault.DuplicateProperty, name);
        }

        switch (json.TokenType)
        {
            case JsonTokenType.String:
                text = json.GetString();
                return;
            case JsonTokenType.Null:
                return;
            default:
                Fail(EventFault.BadRecord, $"{name} is no string.");
                json.Skip();
                return;
        }
    }

    /// <summary>Goes from a property's name into its object; a value of another type is wrong, and skipped by the caller.</summary>
    private bool EnterObject(ref Utf8JsonReader json)
    {
        Utf8JsonReader ahead = json;
        ahead.Read();
        if (ahead.TokenType != JsonTokenType.StartObject)
        {
            Fail(EventFault.BadRecord, $"{json.GetString()} is no object.");
            return false;
        }

        json = ahead;
        return true;
    }

    private void Once(ref bool seen, string name)
    {
        if (seen)
        {
            Fail(EventFault.DuplicateProperty, name);
        }

        seen = true;
    }

    private void Fail(EventFault fault, string detail)
    {
        if (Fault == EventFault.None)
        {
            Fault = fault;
            Detail = detail;
        }
    }

    private static void SkipValue(ref Utf8JsonReader json)
    {
        json.Read();
        json.Skip();
    }

    // "ObjectCreated:Put" in a notification, "s3:ObjectCreated:Put" from some S3-compatible stores.
    private static bool IsCreation(string? eventName) =>
        eventName is not null
        && (eventName.StartsWith("ObjectCreated:", StringComparison.Ordinal) || eventName.StartsWith("s3:ObjectCreated:", StringComparison.Ordinal));
}
