using System.Text.Encodings.Web;
using System.Text.Json;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>Writes the bodies of requests. Threads: any; the JSON writers are pooled.</summary>
internal sealed class SqsRequestWriter
{
    private static readonly JsonWriterOptions Options = new()
    {
        // A message's body is often JSON within JSON: the default encoder would write each quote in 6 bytes instead of 2.
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true,
    };

    // One writer per running call; the garbage collector takes the excess of a burst.
    private readonly BoundedPool<Utf8JsonWriter> _writers = new(32);

    public void WriteReceive(PooledBuffer output, string queueUrl, int maxMessages, int waitSeconds, int visibilitySeconds)
    {
        Utf8JsonWriter json = Open(output, queueUrl);
        json.WriteNumber("MaxNumberOfMessages"u8, maxMessages);
        json.WriteNumber("WaitTimeSeconds"u8, waitSeconds);
        json.WriteNumber("VisibilityTimeout"u8, visibilitySeconds);

        // Some emulators know only the older, first name; the service accepts both.
        WriteSystemAttributeNames(json, "AttributeNames"u8);
        WriteSystemAttributeNames(json, "MessageSystemAttributeNames"u8);
        json.WriteStartArray("MessageAttributeNames"u8);
        json.WriteStringValue("All"u8);
        json.WriteEndArray();
        Close(json);
    }

    public void WriteDelete(PooledBuffer output, string queueUrl, ReadOnlySpan<ReadOnlyMemory<byte>> receiptHandles)
    {
        Utf8JsonWriter json = Open(output, queueUrl);
        json.WriteStartArray("Entries"u8);
        for (int i = 0; i < receiptHandles.Length; i++)
        {
            WriteEntryStart(json, i);
            json.WriteString("ReceiptHandle"u8, receiptHandles[i].Span);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        Close(json);
    }

    public void WriteChangeVisibility(PooledBuffer output, string queueUrl, ReadOnlySpan<VisibilityChange> changes)
    {
        Utf8JsonWriter json = Open(output, queueUrl);
        json.WriteStartArray("Entries"u8);
        for (int i = 0; i < changes.Length; i++)
        {
            WriteEntryStart(json, i);
            json.WriteString("ReceiptHandle"u8, changes[i].ReceiptHandle.Span);
            json.WriteNumber("VisibilityTimeout"u8, changes[i].VisibilitySeconds);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        Close(json);
    }

    public void WriteSend(PooledBuffer output, string queueUrl, in SendEntry entry)
    {
        Utf8JsonWriter json = Open(output, queueUrl);
        WriteMessage(json, entry);
        Close(json);
    }

    public void WriteSendBatch(PooledBuffer output, string queueUrl, ReadOnlySpan<SendEntry> entries)
    {
        Utf8JsonWriter json = Open(output, queueUrl);
        json.WriteStartArray("Entries"u8);
        for (int i = 0; i < entries.Length; i++)
        {
            WriteEntryStart(json, i);
            WriteMessage(json, entries[i]);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        Close(json);
    }

    public void WriteGetQueueUrl(PooledBuffer output, string name, string? account)
    {
        Utf8JsonWriter json = Open(output, queueUrl: null);
        json.WriteString("QueueName"u8, name);
        if (account is not null)
        {
            json.WriteString("QueueOwnerAWSAccountId"u8, account);
        }

        Close(json);
    }

    /// <summary>Requests all attributes: some servers reject a name that a kind of queue does not have (FifoQueue).</summary>
    public void WriteGetQueueAttributes(PooledBuffer output, string queueUrl)
    {
        Utf8JsonWriter json = Open(output, queueUrl);
        json.WriteStartArray("AttributeNames"u8);
        json.WriteStringValue("All"u8);
        json.WriteEndArray();
        Close(json);
    }

    private static void WriteSystemAttributeNames(Utf8JsonWriter json, ReadOnlySpan<byte> property)
    {
        json.WriteStartArray(property);
        json.WriteStringValue("ApproximateReceiveCount"u8);
        json.WriteStringValue("SentTimestamp"u8);
        json.WriteStringValue("ApproximateFirstReceiveTimestamp"u8);
        json.WriteStringValue("MessageGroupId"u8);
        json.WriteStringValue("MessageDeduplicationId"u8);
        json.WriteStringValue("AWSTraceHeader"u8);
        json.WriteEndArray();
    }

    private static void WriteEntryStart(Utf8JsonWriter json, int index)
    {
        json.WriteStartObject();
        json.WriteString("Id"u8, "0123456789"u8.Slice(index, 1));
    }

    private static void WriteMessage(Utf8JsonWriter json, in SendEntry entry)
    {
        json.WriteString("MessageBody"u8, entry.Body.Span);
        if (entry.DelaySeconds is { } delay)
        {
            json.WriteNumber("DelaySeconds"u8, delay);
        }

        if (entry.GroupId is not null)
        {
            json.WriteString("MessageGroupId"u8, entry.GroupId);
        }

        if (entry.DeduplicationId is not null)
        {
            json.WriteString("MessageDeduplicationId"u8, entry.DeduplicationId);
        }

        if (entry.Attributes is { Count: > 0 } attributes)
        {
            json.WriteStartObject("MessageAttributes"u8);
            foreach (SqsMessageAttribute attribute in attributes)
            {
                json.WriteStartObject(attribute.Name);
                json.WriteString("DataType"u8, attribute.DataType);
                if (attribute.StringValue is not null)
                {
                    json.WriteString("StringValue"u8, attribute.StringValue);
                }
                else
                {
                    json.WriteBase64String("BinaryValue"u8, attribute.BinaryValue.Span);
                }

                json.WriteEndObject();
            }

            json.WriteEndObject();
        }
    }

    private Utf8JsonWriter Open(PooledBuffer output, string? queueUrl)
    {
        if (_writers.TryTake(out Utf8JsonWriter? json))
        {
            json.Reset(output);
        }
        else
        {
            json = new Utf8JsonWriter(output, Options);
        }

        json.WriteStartObject();
        if (queueUrl is not null)
        {
            json.WriteString("QueueUrl"u8, queueUrl);
        }

        return json;
    }

    private void Close(Utf8JsonWriter json)
    {
        json.WriteEndObject();
        json.Flush();
        json.Reset();
        _writers.Return(json);
    }
}
