using System.Buffers;
using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using Proof.Simulation;

namespace Proof.Models;

/// <summary>SQS: a queue, standard or FIFO, and its dead-letter queue.</summary>
internal sealed class QueueModel(World world, bool isFifo) : IService
{
    public const int MaxReceiveCount = 1_000;

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(250);

    // The ids of dead letters, and of messages that a redrive sends, come after those of the world.
    private const int FirstNumber = 1_000;

    private readonly List<QueuedMessage> _messages = [];
    private readonly List<QueuedMessage> _dead = [];
    private readonly HashSet<string> _deduplicated = new(StringComparer.Ordinal);
    private int _number = FirstNumber;

    public static string Name(bool isFifo) => isFifo ? "orders.fifo" : "orders";

    public int Count => _messages.Count;

    /// <summary>Bodies in the dead-letter queue.</summary>
    public IEnumerable<byte[]> Dead => _dead.Select(letter => letter.Body);

    /// <summary>Called with each message and dead letter when it is deleted.</summary>
    public required Action<QueuedMessage> Deleted { get; init; }

    /// <summary>Called with each message when it is received.</summary>
    public required Action<QueuedMessage> Received { get; init; }

    public void Send(QueuedMessage message)
    {
        message.SentAt = world.Time.Now;
        _messages.Add(message);
    }

    /// <summary>True while the queue has a message with the body.</summary>
    public bool Holds(byte[] body) => _messages.Exists(message => message.Body.AsSpan().SequenceEqual(body));

    /// <summary>True while the queue has the message that a handle names.</summary>
    public bool Has(string handle) => Find(_messages, handle) is not null;

    /// <summary>True while the queue has another message with the body of this one.</summary>
    public bool HoldsCopy(QueuedMessage of) => _messages.Exists(message => message != of && message.Body.AsSpan().SequenceEqual(of.Body));

    /// <summary>The body of the dead letter that a handle names; null when it names none.</summary>
    public string? FindDead(string handle) => Find(_dead, handle) is { } letter ? Encoding.UTF8.GetString(letter.Body) : null;

    /// <summary>The messages of a message's group before it, in the order of the queue.</summary>
    public IEnumerable<QueuedMessage> Before(int number)
    {
        int index = _messages.FindIndex(message => message.Number == number);
        return index < 0 ? [] : _messages.Take(index).Where(message => message.Group == _messages[index].Group);
    }

    public void Handle(ServiceRequest request, Action<ServiceAnswer> answer)
    {
        JsonElement json = JsonDocument.Parse(request.Body).RootElement;
        switch (request.Operation)
        {
            case "GetQueueUrl":
                answer(Json(
                    writer => writer.WriteString("QueueUrl", $"https://sqs.eu-west-1.amazonaws.com/123456789012/{json.GetProperty("QueueName").GetString()}")));
                break;
            case "GetQueueAttributes":
                answer(Json(writer => WriteAttributes(writer, QueueOf(json))));
                break;
            case "ReceiveMessage":
                Receive(json, world.Time.Now + TimeSpan.FromSeconds(json.GetProperty("WaitTimeSeconds").GetInt32()).Ticks, answer);
                break;
            case "DeleteMessageBatch":
                answer(AnswerEntries(json, entry => TryDelete(QueueOf(json), entry.GetProperty("ReceiptHandle").GetString()!)));
                break;
            case "ChangeMessageVisibilityBatch":
                answer(AnswerEntries(
                    json, entry => TryChange(
                        QueueOf(json), entry.GetProperty("ReceiptHandle").GetString()!, entry.GetProperty("VisibilityTimeout").GetInt32())));
                break;
            case "SendMessage":
                string id = Send(QueueOf(json), json);
                answer(Json(writer => writer.WriteString("MessageId", id)));
                break;
            default:
                throw new NotSupportedException($"The model of SQS has no {request.Operation}.");
        }
    }

    public ServiceAnswer Unavailable(int draw) => (draw % 2) == 0
        ? ServiceAnswer.Text(HttpStatusCode.ServiceUnavailable, """{"__type":"com.amazonaws.sqs#ServiceUnavailable","message":"simulated"}""")
        : ServiceAnswer.Text(HttpStatusCode.BadRequest, """{"__type":"com.amazonaws.sqs#RequestThrottled","message":"simulated"}""");

    private void Receive(JsonElement json, long until, Action<ServiceAnswer> answer)
    {
        List<QueuedMessage> received =
            Take(QueueOf(json), json.GetProperty("MaxNumberOfMessages").GetInt32(), json.GetProperty("VisibilityTimeout").GetInt32());
        if (received.Count == 0 && world.Time.Now < until)
        {
            world.Time.Schedule(PollInterval, () => Receive(json, until, answer));
            return;
        }

        answer(Json(writer =>
        {
            writer.WriteStartArray("Messages");
            foreach (QueuedMessage message in received)
            {
                Write(writer, message);
            }

            writer.WriteEndArray();
        }));
    }

    private List<QueuedMessage> QueueOf(JsonElement json) =>
        json.GetProperty("QueueUrl").GetString()!.EndsWith(Name(isFifo), StringComparison.Ordinal) ? _messages : _dead;

    private List<QueuedMessage> Take(List<QueuedMessage> queue, int most, int visibilitySeconds)
    {
        long now = world.Time.Now;
        EndVisibility(queue);
        List<QueuedMessage> taken = [];
        HashSet<string> blocked = [.. queue.Where(message => message.Group is not null && message.VisibleAt > now).Select(message => message.Group!)];
        foreach (QueuedMessage message in queue)
        {
            bool isHidden = message.VisibleAt > now || (message.Group is not null && blocked.Contains(message.Group));
            if (taken.Count == most || (isHidden && !IsDeliveredTwice(message)))
            {
                continue;
            }

            if (isHidden)
            {
                world.Meets(Fault.SqsDeliversTwice);
            }

            message.FirstReceivedAt = message.Deliveries++ == 0 ? now : message.FirstReceivedAt;
            message.VisibleAt = now + TimeSpan.FromSeconds(visibilitySeconds).Ticks;
            taken.Add(message);
            world.Trace("received", message.Handle);
            if (queue == _messages)
            {
                Received(message);
            }
        }

        return taken;
    }

    // The messages of a group are delivered again while they are in flight when their renewals were lost.
    private void EndVisibility(List<QueuedMessage> queue)
    {
        if (!isFifo || world.QueueFaults.Duplicate == 0 || world.Random.NextDouble() >= world.QueueFaults.Duplicate / 10)
        {
            return;
        }

        if (queue.Find(message => message.VisibleAt > world.Time.Now && message.Deliveries > 0) is { } inFlight)
        {
            world.Meets(Fault.SqsDeliversTwice);
            foreach (QueuedMessage message in queue.Where(message => message.Group == inFlight.Group))
            {
                message.VisibleAt = Math.Min(message.VisibleAt, world.Time.Now);
            }
        }
    }

    // A standard queue may deliver a message again while it is in flight.
    private bool IsDeliveredTwice(QueuedMessage message) =>
        message.Group is null && message.Deliveries > 0 && world.Random.NextDouble() < world.QueueFaults.Duplicate / 10;

    private bool TryDelete(List<QueuedMessage> queue, string handle)
    {
        if (Find(queue, handle) is not { } message)
        {
            return !isFifo;
        }

        if (message.Handle != handle)
        {
            // The handle of an earlier delivery deletes nothing, and the answer does not report that.
            world.Meets(Fault.SqsHandleIsOld);
            return !isFifo;
        }

        queue.Remove(message);
        world.Trace("deleted", handle);
        Deleted(message);
        return true;
    }

    private bool TryChange(List<QueuedMessage> queue, string handle, int seconds)
    {
        if (Find(queue, handle) is not { } message || message.Handle != handle || message.VisibleAt <= world.Time.Now)
        {
            world.Meets(Fault.SqsHandleIsOld);
            return false;
        }

        message.VisibleAt = world.Time.Now + TimeSpan.FromSeconds(seconds).Ticks;
        world.Trace($"hidden for {seconds} s", handle);
        return true;
    }

    private QueuedMessage? Find(List<QueuedMessage> queue, string handle)
    {
        if (int.TryParse(
            handle.AsSpan(0, Math.Max(handle.IndexOf('#', StringComparison.Ordinal), 0)), NumberStyles.None, CultureInfo.InvariantCulture, out int number))
        {
            return queue.Find(message => message.Number == number);
        }

        world.Fail($"SQS was sent a receipt handle that it never gave: '{handle}'");
        return null;
    }

    /// <returns>The id of the message.</returns>
    private string Send(List<QueuedMessage> queue, JsonElement json)
    {
        string text = json.GetProperty("MessageBody").GetString()!;
        string? group = json.TryGetProperty("MessageGroupId", out JsonElement name) ? name.GetString() : null;
        string? attributes = json.TryGetProperty("MessageAttributes", out JsonElement own) ? own.GetRawText() : null;
        QueuedMessage message = new(_number++, Encoding.UTF8.GetBytes(text), group) { Attributes = attributes, SentAt = world.Time.Now };
        if (!json.TryGetProperty("MessageDeduplicationId", out JsonElement id) || _deduplicated.Add(id.GetString()!))
        {
            queue.Add(message);
            world.Trace(queue == _dead ? "dead-lettered" : "sent again", text);
        }

        return message.Id;
    }

    private ServiceAnswer AnswerEntries(JsonElement json, Func<JsonElement, bool> tryEntry)
    {
        List<string> successful = [];
        List<(string Id, string Code)> failed = [];
        foreach (JsonElement entry in json.GetProperty("Entries").EnumerateArray())
        {
            string id = entry.GetProperty("Id").GetString()!;
            if (world.Random.NextDouble() < world.QueueFaults.FailedEntry)
            {
                world.Meets(Fault.SqsFailsEntry);
                failed.Add((id, "InternalError"));
            }
            else if (tryEntry(entry))
            {
                successful.Add(id);
            }
            else
            {
                failed.Add((id, "ReceiptHandleIsInvalid"));
            }
        }

        return Json(writer =>
        {
            writer.WriteStartArray("Successful");
            foreach (string id in successful)
            {
                writer.WriteStartObject();
                writer.WriteString("Id", id);
                writer.WriteEndObject();
            }

            writer.WriteEndArray();
            writer.WriteStartArray("Failed");
            foreach ((string id, string code) in failed)
            {
                writer.WriteStartObject();
                writer.WriteString("Id", id);
                writer.WriteString("Code", code);
                writer.WriteBoolean("SenderFault", code != "InternalError");
                writer.WriteEndObject();
            }

            writer.WriteEndArray();
        });
    }

    private void WriteAttributes(Utf8JsonWriter writer, List<QueuedMessage> queue)
    {
        int inFlight = queue.Count(message => message.VisibleAt > world.Time.Now);
        writer.WriteStartObject("Attributes");
        writer.WriteString("ApproximateNumberOfMessages", $"{queue.Count - inFlight}");
        writer.WriteString("ApproximateNumberOfMessagesNotVisible", $"{inFlight}");
        writer.WriteString("ApproximateNumberOfMessagesDelayed", "0");
        writer.WriteString("QueueArn", $"arn:aws:sqs:eu-west-1:123456789012:{Name(isFifo)}");
        writer.WriteString("VisibilityTimeout", "30");
        writer.WriteString(
            "RedrivePolicy",
            $$"""{"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:123456789012:dead{{(isFifo ? ".fifo" : string.Empty)}}","maxReceiveCount":{{MaxReceiveCount}}}""");
        if (isFifo)
        {
            writer.WriteString("FifoQueue", "true");
        }

        writer.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter writer, QueuedMessage message)
    {
        writer.WriteStartObject();
        writer.WriteString("MessageId", message.Id);
        writer.WriteString("ReceiptHandle", message.Handle);
        writer.WriteString("Body", message.Body);
        writer.WriteStartObject("Attributes");
        writer.WriteString("ApproximateReceiveCount", message.Deliveries.ToString(CultureInfo.InvariantCulture));
        writer.WriteString("SentTimestamp", UnixMs(message.SentAt));
        writer.WriteString("ApproximateFirstReceiveTimestamp", UnixMs(message.FirstReceivedAt));
        if (message.Group is not null)
        {
            writer.WriteString("MessageGroupId", message.Group);
        }

        writer.WriteEndObject();
        if (message.Attributes is not null)
        {
            writer.WritePropertyName("MessageAttributes");
            writer.WriteRawValue(message.Attributes);
        }

        writer.WriteEndObject();
    }

    private static string UnixMs(long ticks) =>
        (SimulatedTime.Start + TimeSpan.FromTicks(ticks)).ToUnixTimeMilliseconds().ToString(CultureInfo.InvariantCulture);

    private static ServiceAnswer Json(Action<Utf8JsonWriter> write)
    {
        ArrayBufferWriter<byte> body = new();
        using (Utf8JsonWriter writer = new(body))
        {
            writer.WriteStartObject();
            write(writer);
            writer.WriteEndObject();
        }

        return new ServiceAnswer(HttpStatusCode.OK, body.WrittenSpan.ToArray());
    }
}
