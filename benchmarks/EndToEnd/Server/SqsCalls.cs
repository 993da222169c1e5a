using System.Buffers.Text;
using System.Text.Json;

namespace Benchmarks.EndToEnd.Server;

/// <summary>The SQS operations a worker uses, in AWS JSON 1.0. Threads: under the server's lock.</summary>
internal sealed class SqsCalls(Func<string, MessageQueue> queueOf)
{
    private const int BatchEntries = 10;

    // As long as the service's own handles, which are opaque: 176 characters and more.
    private static readonly byte[] HandleFiller = [.. Enumerable.Repeat((byte)'A', 150)];

    private readonly int[] _indexes = new int[BatchEntries];

    public bool TryHandle(ReadOnlySpan<byte> target, ReadOnlySpan<byte> body, IAnswer answer, bool mayWait, out Task wait)
    {
        wait = Task.CompletedTask;
        ReadOnlySpan<byte> operation = target[(target.IndexOf((byte)'.') + 1)..];
        if (operation.SequenceEqual("ReceiveMessage"u8))
        {
            return TryReceive(body, answer, mayWait, out wait);
        }

        if (operation.SequenceEqual("DeleteMessageBatch"u8) || operation.SequenceEqual("ChangeMessageVisibilityBatch"u8))
        {
            Batch(body, isDelete: operation[0] == (byte)'D', answer);
        }
        else if (operation.SequenceEqual("DeleteMessage"u8))
        {
            Delete(body, answer);
        }
        else if (operation.SequenceEqual("GetQueueUrl"u8))
        {
            string name = Text(body, "QueueName");
            int at = answer.BeginJson("200 OK"u8);
            answer.Write(System.Text.Encoding.UTF8.GetBytes($$"""{"QueueUrl":"http://127.0.0.1/000000000000/{{name}}"}"""));
            answer.EndJson(at);
        }
        else if (operation.SequenceEqual("GetQueueAttributes"u8))
        {
            int at = answer.BeginJson("200 OK"u8);
            answer.Write("""{"Attributes":{"ApproximateNumberOfMessages":"0","ApproximateNumberOfMessagesNotVisible":"0","VisibilityTimeout":"60"}}"""u8);
            answer.EndJson(at);
        }
        else
        {
            int at = answer.BeginJson("400 Bad Request"u8);
            answer.Write("""{"__type":"com.amazonaws.sqs#UnsupportedOperation","message":"not in this server"}"""u8);
            answer.EndJson(at);
        }

        return true;
    }

    private bool TryReceive(ReadOnlySpan<byte> body, IAnswer answer, bool mayWait, out Task filled)
    {
        filled = Task.CompletedTask;
        int max = 1;
        int visibility = 30;
        int wait = 0;
        MessageQueue? queue = null;
        Utf8JsonReader json = new(body);
        while (json.Read())
        {
            if (json.TokenType != JsonTokenType.PropertyName)
            {
                continue;
            }

            if (json.ValueTextEquals("QueueUrl"u8))
            {
                json.Read();
                queue = QueueOf(ref json);
            }
            else if (json.ValueTextEquals("MaxNumberOfMessages"u8))
            {
                json.Read();
                max = json.GetInt32();
            }
            else if (json.ValueTextEquals("VisibilityTimeout"u8))
            {
                json.Read();
                visibility = json.GetInt32();
            }
            else if (json.ValueTextEquals("WaitTimeSeconds"u8))
            {
                json.Read();
                wait = json.GetInt32();
            }
        }

        int count = queue!.Receive(_indexes.AsSpan(0, Math.Clamp(max, 1, BatchEntries)), visibility);
        if (count == 0 && wait > 0 && mayWait)
        {
            filled = queue.WaitAsync(TimeSpan.FromSeconds(wait));
            return false;
        }

        int at = answer.BeginJson("200 OK"u8);
        answer.Write("{\"Messages\":["u8);
        for (int i = 0; i < count; i++)
        {
            if (i > 0)
            {
                answer.Write(","u8);
            }

            WriteMessage(queue, _indexes[i], answer);
        }

        answer.Write("]}"u8);
        answer.EndJson(at);
        return true;
    }

    private static void WriteMessage(MessageQueue queue, int index, IAnswer answer)
    {
        ref readonly MessageState message = ref queue[index];
        answer.Write("{\"MessageId\":\"00000000-0000-4000-8"u8);
        Span<byte> id = answer.Reserve(16);
        Utf8Formatter.TryFormat(queue.Generation, id, out _, new System.Buffers.StandardFormat('x', 3));
        id[3] = (byte)'-';
        Utf8Formatter.TryFormat((long)index, id[4..], out _, new System.Buffers.StandardFormat('x', 12));
        answer.Advance(16);
        answer.Write("\",\"ReceiptHandle\":\""u8);
        Span<byte> handle = answer.Reserve(MessageBody.IdLength + 9);
        MessageBody.WriteId(handle, queue.Generation, index);
        handle[MessageBody.IdLength] = (byte)'-';
        Utf8Formatter.TryFormat(message.ReceiveCount, handle[(MessageBody.IdLength + 1)..], out _, new System.Buffers.StandardFormat('x', 8));
        answer.Advance(MessageBody.IdLength + 9);
        answer.Write(HandleFiller);
        answer.Write("\",\"MD5OfBody\":\""u8);
        answer.WriteHex(queue.Envelope == MessageEnvelope.None ? message.Md5 : MessageBody.DeliveredMd5(queue.Envelope, queue.Generation, index));
        answer.Write("\",\"Body\":\""u8);
        answer.Advance(MessageBody.WriteDelivered(answer.Reserve(MessageBody.MaxDelivered), queue.Envelope, queue.Generation, index));
        answer.Write("\",\"Attributes\":{\"ApproximateReceiveCount\":\""u8);
        answer.WriteNumber(message.ReceiveCount);
        answer.Write("\",\"SentTimestamp\":\"1769853600000\"}}"u8);
    }

    private void Batch(ReadOnlySpan<byte> body, bool isDelete, IAnswer answer)
    {
        // The queue's name may come after the entries, so it is read first.
        MessageQueue queue = queueOf(NameOf(Text(body, "QueueUrl")));
        if (isDelete)
        {
            queue.CountDeleteCall();
        }

        int at = answer.BeginJson("200 OK"u8);
        answer.Write("{\"Successful\":["u8);
        Span<byte> failed = stackalloc byte[BatchEntries * 80];
        int failedLength = 0;
        bool isFirst = true;
        byte id = 0;
        int generation = -1;
        int index = 0;
        int receiveCount = 0;
        int seconds = 0;
        Utf8JsonReader json = new(body);
        while (json.Read())
        {
            if (json.TokenType == JsonTokenType.EndObject && json.CurrentDepth == 2)
            {
                bool done = isDelete ? queue.Delete(generation, index, receiveCount) : queue.Hide(generation, index, receiveCount, seconds);
                if (done)
                {
                    answer.Write(isFirst ? "{\"Id\":\""u8 : ",{\"Id\":\""u8);
                    answer.Write([id]);
                    answer.Write("\"}"u8);
                    isFirst = false;
                }
                else
                {
                    failedLength += WriteFailed(failed[failedLength..], id, failedLength == 0);
                }
            }
            else if (json.TokenType == JsonTokenType.PropertyName && json.CurrentDepth == 3)
            {
                if (json.ValueTextEquals("Id"u8))
                {
                    json.Read();
                    id = json.ValueSpan[0];
                }
                else if (json.ValueTextEquals("ReceiptHandle"u8))
                {
                    json.Read();
                    ReadHandle(json.ValueSpan, out generation, out index, out receiveCount);
                }
                else if (json.ValueTextEquals("VisibilityTimeout"u8))
                {
                    json.Read();
                    seconds = json.GetInt32();
                }
            }
        }

        answer.Write("],\"Failed\":["u8);
        answer.Write(failed[..failedLength]);
        answer.Write("]}"u8);
        answer.EndJson(at);
    }

    private static int WriteFailed(Span<byte> to, byte id, bool isFirst)
    {
        ReadOnlySpan<byte> head = isFirst ? "{\"Id\":\""u8 : ",{\"Id\":\""u8;
        ReadOnlySpan<byte> tail = "\",\"SenderFault\":true,\"Code\":\"ReceiptHandleIsInvalid\"}"u8;
        head.CopyTo(to);
        to[head.Length] = id;
        tail.CopyTo(to[(head.Length + 1)..]);
        return head.Length + 1 + tail.Length;
    }

    private void Delete(ReadOnlySpan<byte> body, IAnswer answer)
    {
        MessageQueue queue = queueOf(NameOf(Text(body, "QueueUrl")));
        queue.CountDeleteCall();
        ReadHandle(System.Text.Encoding.UTF8.GetBytes(Text(body, "ReceiptHandle")), out int generation, out int index, out int receiveCount);
        queue.Delete(generation, index, receiveCount);
        int at = answer.BeginJson("200 OK"u8);
        answer.Write("{}"u8);
        answer.EndJson(at);
    }

    private static void ReadHandle(ReadOnlySpan<byte> handle, out int generation, out int index, out int receiveCount)
    {
        receiveCount = 0;
        if (handle.Length < MessageBody.IdLength + 9
            || !MessageBody.TryReadId(handle[..MessageBody.IdLength], out generation, out index)
            || !Utf8Parser.TryParse(handle.Slice(MessageBody.IdLength + 1, 8), out receiveCount, out _, 'x'))
        {
            generation = int.MaxValue;
            index = -1;
        }
    }

    private MessageQueue QueueOf(ref Utf8JsonReader json) => queueOf(NameOf(json.GetString()!));

    private static string NameOf(string url) => url[(url.LastIndexOf('/') + 1)..];

    private static string Text(ReadOnlySpan<byte> body, string property)
    {
        Utf8JsonReader json = new(body);
        while (json.Read())
        {
            if (json.TokenType == JsonTokenType.PropertyName && json.CurrentDepth == 1 && json.ValueTextEquals(property))
            {
                json.Read();
                return json.GetString()!;
            }
        }

        throw new InvalidDataException($"a request without {property}");
    }
}
