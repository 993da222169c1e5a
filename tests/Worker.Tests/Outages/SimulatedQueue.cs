using System.Text.Json;
using Worker.Tests.Aws.Sqs;

namespace Worker.Tests.Outages;

/// <summary>
/// Makes a <see cref="FakeQueue"/> keep state as SQS does, by the test's clock: visibility timeouts, receive counts, groups of a
/// FIFO queue, and a redrive policy that moves messages. Threads: any.
/// </summary>
internal sealed class SimulatedQueue
{
    private readonly Lock _lock = new();
    private readonly TimeProvider _time;
    private readonly int _maxReceiveCount;
    private readonly List<QueuedMessage> _messages = [];
    private readonly List<QueuedMessage> _dead = [];

    public SimulatedQueue(FakeQueue queue, TimeProvider time, int maxReceiveCount)
    {
        _time = time;
        _maxReceiveCount = maxReceiveCount;
        queue.Attributes["RedrivePolicy"] = queue.Attributes["RedrivePolicy"].Replace("10}", $"{maxReceiveCount}}}", StringComparison.Ordinal);
        queue.Script = Answer;
    }

    /// <summary>Messages in the queue, in flight or not.</summary>
    public int Count => Read(() => _messages.Count);

    /// <summary>Names of the messages that the redrive policy moved.</summary>
    public IReadOnlyList<string> Dead => Read(() => _dead.ConvertAll(message => message.Name));

    /// <summary>Names of the visible messages.</summary>
    public IReadOnlyList<string> Visible => Read(() => _messages.FindAll(message => message.VisibleAt <= Now).ConvertAll(message => message.Name));

    /// <summary>The highest delivery count of the messages in the queue.</summary>
    public int MaxDeliveries => Read(() => _messages.Max(message => message.ReceiveCount));

    private DateTimeOffset Now => _time.GetUtcNow();

    public void Send(string name, string? group = null) => Read(() =>
    {
        _messages.Add(new QueuedMessage(name, group));
        return 0;
    });

    public int DeliveriesOf(string name) => Read(() => _messages.Find(message => message.Name == name)!.ReceiveCount);

    private T Read<T>(Func<T> read)
    {
        lock (_lock)
        {
            return read();
        }
    }

    private QueueAnswer? Answer(QueueCall call)
    {
        lock (_lock)
        {
            switch (call.Operation)
            {
                case "ReceiveMessage":
                    return Receive(call.Json.GetProperty("MaxNumberOfMessages").GetInt32(), call.Json.GetProperty("VisibilityTimeout").GetInt32());
                case "ChangeMessageVisibilityBatch":
                    string[] refused = [.. call.Handles.Zip(call.Seconds).Where(change => !TryChange(change.First, change.Second)).Select(change => change.First)];
                    return QueueAnswer.Failing(call, "ReceiptHandleIsInvalid", senderFault: true, handle => refused.Contains(handle, StringComparer.Ordinal));
                case "DeleteMessageBatch":
                    Array.ForEach(call.Handles, handle => _messages.RemoveAll(message => message.Handle == handle));
                    return null;
                default:
                    return null;
            }
        }
    }

    private QueueAnswer Receive(int max, int visibilitySeconds)
    {
        HashSet<string> blocked = [.. _messages.FindAll(message => message.Group is not null && message.VisibleAt > Now).ConvertAll(message => message.Group!)];
        List<QueuedMessage> received = [];
        foreach (QueuedMessage message in _messages.ToArray())
        {
            if (received.Count == max || message.VisibleAt > Now || (message.Group is not null && blocked.Contains(message.Group)))
            {
                continue;
            }

            if (message.ReceiveCount >= _maxReceiveCount)
            {
                _messages.Remove(message);
                _dead.Add(message);
                continue;
            }

            message.ReceiveCount++;
            message.VisibleAt = Now + TimeSpan.FromSeconds(visibilitySeconds);
            received.Add(message);
        }

        return new QueueAnswer(200, $"{{\"Messages\":[{string.Join(',', received.Select(Describe))}]}}");
    }

    private bool TryChange(string handle, int seconds)
    {
        if (_messages.Find(message => message.Handle == handle && message.VisibleAt > Now) is not { } found)
        {
            return false;
        }

        found.VisibleAt = Now + TimeSpan.FromSeconds(seconds);
        return true;
    }

    private static string Describe(QueuedMessage message) => new FakeMessage(message.Id, message.Handle)
    {
        Body = JsonSerializer.Serialize(new { MessageId = message.Name }),
        ReceiveCount = message.ReceiveCount,
        Group = message.Group,
    }.ToString();
}
