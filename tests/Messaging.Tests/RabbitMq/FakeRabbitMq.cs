using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Messaging.Tests.RabbitMq;

/// <summary>
/// A broker behind RabbitMQ's own client interfaces: quorum and classic queues, prefetch, tags of a channel, redelivery in order, delivery limits,
/// and confirmations. A test decides when a frame arrives, when a dead letter is confirmed, and when a connection breaks. What it records is read and
/// written under its lock. Threads: any.
/// </summary>
internal sealed class FakeRabbitMq
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, FakeRabbitMqQueue> _queues = new(StringComparer.Ordinal);
    private readonly List<FakeRabbitMqChannel> _channels = [];
    private readonly List<HeldFrame> _held = [];
    private readonly List<string> _acknowledged = [];
    private readonly List<string> _dropped = [];
    private readonly List<string> _mistakes = [];
    private readonly List<FakeConfirmation> _unconfirmed = [];
    private readonly List<(Func<bool> Condition, TaskCompletionSource Met)> _waiting = [];
    private bool _confirmsLate;
    private int _prefetch;
    private int _maxUnacknowledged;
    private int _frames;

    /// <summary>The ids of the messages that are gone because the worker acknowledged them, in order.</summary>
    public IReadOnlyList<string> Acknowledged => Read(() => _acknowledged.ToArray());

    /// <summary>The ids of the messages that are gone although they were not acknowledged: rejected, or beyond the delivery limit.</summary>
    public IReadOnlyList<string> Dropped => Read(() => _dropped.ToArray());

    /// <summary>What a real broker would close the channel for.</summary>
    public IReadOnlyList<string> Mistakes => Read(() => _mistakes.ToArray());

    /// <summary>The prefetch that the last consumer asked for.</summary>
    public int Prefetch => Read(() => _prefetch);

    /// <summary>The peak number of messages that one channel had not settled.</summary>
    public int MaxUnacknowledged => Read(() => _maxUnacknowledged);

    /// <summary>Acknowledgements and rejections that arrived.</summary>
    public int Frames => Read(() => _frames);

    /// <summary>Messages that the worker has and has not settled.</summary>
    public int Unacknowledged => Read(() => _channels.Sum(static channel => channel.Unacknowledged.Count));

    /// <summary>Dead letters that wait for their confirmation.</summary>
    public int Unconfirmed => Read(() => _unconfirmed.Count);

    /// <summary>False for a user that may read and write, and may not declare.</summary>
    public bool AllowsDeclaring { get; init; } = true;

    /// <summary>Characters that all headers of a message may have.</summary>
    public int HeaderLimit { get; set; } = int.MaxValue;

    /// <summary>Creates a queue.</summary>
    /// <param name="queue">Its name.</param>
    /// <param name="type">quorum, classic or stream.</param>
    /// <param name="policyLimit">The delivery limit of its policy, which no client can read.</param>
    /// <param name="arguments">Further arguments.</param>
    public void Declare(string queue, string type = "quorum", int? policyLimit = null, params (string Name, object Value)[] arguments)
    {
        lock (_lock)
        {
            _queues[
                queue] = new FakeRabbitMqQueue(
                    type, policyLimit, arguments.ToDictionary(static argument => argument.Name, static argument => argument.Value, StringComparer.Ordinal));
        }
    }

    public void Publish(string queue, string id, byte[]? body = null, BasicProperties? properties = null)
    {
        lock (_lock)
        {
            properties ??= new BasicProperties();
            properties.MessageId = id;
            _queues[queue].Ready.AddLast(new FakeRabbitMqMessage(id, properties, body ?? "{}"u8.ToArray()));
            Pump();
        }
    }

    /// <summary>The messages of a queue that no consumer has, in order.</summary>
    public IReadOnlyList<FakeRabbitMqMessage> Ready(string queue) => Read(() => _queues[queue].Ready.ToArray());

    /// <summary>The next frame of this kind waits on its way to the broker, and others overtake it.</summary>
    public HeldFrame Hold(string method)
    {
        HeldFrame held = new(method);
        lock (_lock)
        {
            _held.Add(held);
        }

        return held;
    }

    /// <summary>From now on the broker neither keeps nor confirms what is published, until <see cref="Confirm"/>.</summary>
    public void ConfirmLate()
    {
        lock (_lock)
        {
            _confirmsLate = true;
        }
    }

    /// <summary>Keeps and confirms what waits for it, and from now on everything.</summary>
    public void Confirm()
    {
        lock (_lock)
        {
            _confirmsLate = false;
            foreach (FakeConfirmation one in _unconfirmed.Where(static one => !one.Confirmed.Task.IsCompleted))
            {
                _queues[one.Queue].Ready.AddLast(one.Message);
                one.Confirmed.SetResult();
            }

            _unconfirmed.Clear();
            Pump();
        }
    }

    /// <summary>Every connection breaks: what was not acknowledged is requeued, and what was not confirmed is not kept.</summary>
    public async Task BreakAsync()
    {
        FakeRabbitMqChannel[] channels;
        ShutdownEventArgs reason = new(ShutdownInitiator.Peer, 320, "CONNECTION_FORCED - a test's");
        lock (_lock)
        {
            channels = [.. _channels];
            foreach (FakeConfirmation one in _unconfirmed)
            {
                one.Confirmed.TrySetException(new AlreadyClosedException(reason));
            }

            _unconfirmed.Clear();
            Array.ForEach(channels, Close);
            Pump();
        }

        foreach (FakeRabbitMqChannel channel in channels)
        {
            await channel.ShutdownAsync(reason);
        }
    }

    /// <summary>Waits until it is true of the broker.</summary>
    public Task UntilAsync(Func<FakeRabbitMq, bool> condition)
    {
        lock (_lock)
        {
            if (condition(this))
            {
                return Task.CompletedTask;
            }

            TaskCompletionSource met = new(TaskCreationOptions.RunContinuationsAsynchronously);
            _waiting.Add((() => condition(this), met));
            return met.Task.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
        }
    }

    public IConnection Connect() => FakeRabbitMqConnection.Create(this);

    internal FakeRabbitMqChannel Open()
    {
        lock (_lock)
        {
            FakeRabbitMqChannel channel = new(this);
            _channels.Add(channel);
            return channel;
        }
    }

    /// <summary>A frame that settles deliveries: it arrives now, or once the test releases it.</summary>
    internal async Task SettleAsync(FakeRabbitMqChannel channel, string method, ulong tag, bool multiple, bool requeue)
    {
        HeldFrame? held;
        lock (_lock)
        {
            ThrowIfClosed(channel);
            held = _held.Find(one => one.Method == method);
            _ = held is not null && _held.Remove(held);
        }

        if (held is not null)
        {
            await held.WaitAsync();
            _ = held.Fault is { } fault ? throw fault : held;
        }

        lock (_lock)
        {
            ThrowIfClosed(channel);
            Settle(channel, method, tag, multiple, requeue);
            Pump();
        }
    }

    internal void Consume(FakeRabbitMqChannel channel, string queue, IAsyncBasicConsumer consumer, object? priority)
    {
        lock (_lock)
        {
            ThrowIfClosed(channel);
            if (_queues[queue].Type == "stream" || priority is not int)
            {
                throw Refused(
                    406, $"PRECONDITION_FAILED - invalid arg 'x-priority' for queue '{queue}' in vhost "
                        + $"'/'{(_queues[queue].Type == "stream" ? " of queue type rabbit_stream_queue" : ": \"expected integer, got longstr\"")}");
            }

            (channel.Queue, channel.Consumer) = (queue, consumer);
            _prefetch = channel.Prefetch;
            Pump();
        }
    }

    /// <summary>One message without a consumer; null when the queue is empty.</summary>
    internal BasicGetResult? Get(FakeRabbitMqChannel channel, string queue)
    {
        lock (_lock)
        {
            ThrowIfClosed(channel);
            if (_queues[queue].Ready.First is not { Value: { } message })
            {
                return null;
            }

            _queues[queue].Ready.RemoveFirst();
            channel.Unacknowledged.Add(++channel.Tag, (queue, message));
            return new BasicGetResult(
                channel.Tag, message.Returns > 0, string.Empty, queue, (uint)_queues[queue].Ready.Count, message.Properties, message.Body);
        }
    }

    internal void Cancel(FakeRabbitMqChannel channel)
    {
        lock (_lock)
        {
            ThrowIfClosed(channel);
            channel.Queue = null;
        }
    }

    internal async ValueTask PublishAsync(
        FakeRabbitMqChannel channel, string queue, BasicProperties properties, byte[] body, CancellationToken cancellationToken)
    {
        if (properties.Headers?.Sum(static header => header.Key.Length + $"{header.Value}".Length) > HeaderLimit)
        {
            throw Refused(501, "FRAME_ERROR - type 2, first 16 octets are a test's");
        }

        FakeConfirmation confirmation = new(queue, new FakeRabbitMqMessage(properties.MessageId ?? string.Empty, properties, body));
        lock (_lock)
        {
            ThrowIfClosed(channel);
            _unconfirmed.Add(confirmation);
            if (!_confirmsLate)
            {
                Confirm();
            }

            Pump();
        }

        await confirmation.Confirmed.Task.WaitAsync(cancellationToken);
    }

    internal QueueDeclareOk Find(string queue)
    {
        lock (_lock)
        {
            return _queues.TryGetValue(queue, out FakeRabbitMqQueue? found)
                ? new QueueDeclareOk(queue, (uint)found.Ready.Count, 0)
                : throw Refused(404, $"NOT_FOUND - no queue '{queue}' in vhost '/'");
        }
    }

    /// <summary>
    /// As RabbitMQ 3.10 refuses to declare a queue that exists with other arguments: it names the first that differs, in an order of its own.
    /// </summary>
    internal QueueDeclareOk Redeclare(string queue, IDictionary<string, object?> arguments)
    {
        lock (_lock)
        {
            if (!AllowsDeclaring)
            {
                throw Refused(403, $"ACCESS_REFUSED - access to queue '{queue}' in vhost '/' refused for user 'u'");
            }

            foreach (string name in (string[])[
                "x-dead-letter-exchange", "x-max-length", "x-overflow", "x-single-active-consumer", "x-queue-type", "x-delivery-limit"])
            {
                object? current = name == "x-queue-type" ? _queues[queue].Type : _queues[queue].Arguments.GetValueOrDefault(name);
                object? received = arguments.TryGetValue(name, out object? value) ? value : null;
                if (Text(current) != Text(received))
                {
                    throw Refused(
                        406, $"PRECONDITION_FAILED - inequivalent arg '{name}' for queue '{queue}' in vhost '/': received "
                            + $"{(received is null || current is null ? Shown(received) : $"'{received}'")} but current is "
                            + $"{(received is null || current is null ? Shown(current) : $"'{current}'")}");
                }
            }

            return Find(queue);
        }

        static string? Text(object? value) => value is null ? null : $"{value}";
        static string Shown(object? value) =>
            value is null
                ? "none"
                : $"the value '{(value is bool flag ? flag ? "true" : "false" : value)}' of type "
                    + $"'{(value is string ? "longstr" : value is bool ? "bool" : "signedint")}'";
    }

    internal void CloseAll(IReadOnlyCollection<FakeRabbitMqChannel> channels)
    {
        lock (_lock)
        {
            foreach (FakeRabbitMqChannel channel in channels)
            {
                Close(channel);
            }

            Pump();
        }
    }

    private static OperationInterruptedException Refused(ushort code, string text) => new(new ShutdownEventArgs(ShutdownInitiator.Peer, code, text));

    private static void ThrowIfClosed(FakeRabbitMqChannel channel)
    {
        if (!channel.IsOpen)
        {
            throw new AlreadyClosedException(new ShutdownEventArgs(ShutdownInitiator.Peer, 320, "CONNECTION_FORCED - a test's"));
        }
    }

    private void Settle(FakeRabbitMqChannel channel, string method, ulong tag, bool multiple, bool requeue)
    {
        _frames++;
        ulong[] tags = [.. channel.Unacknowledged.Keys.Where(one => one == tag || (multiple && one < tag))];
        if (!tags.Contains(tag))
        {
            _mistakes.Add($"{method} of unknown tag {tag}");
        }

        foreach (ulong one in requeue ? tags.Reverse() : tags)
        {
            channel.Unacknowledged.Remove(one, out (string Queue, FakeRabbitMqMessage Message) delivery);
            if (method == nameof(IChannel.BasicAckAsync))
            {
                _acknowledged.Add(delivery.Message.Id);
            }
            else if (requeue)
            {
                Requeue(delivery.Queue, delivery.Message);
            }
            else
            {
                _dropped.Add(delivery.Message.Id);
            }
        }
    }

    private void Close(FakeRabbitMqChannel channel)
    {
        channel.IsOpen = false;
        _channels.Remove(channel);
        foreach ((string queue, FakeRabbitMqMessage message) in channel.Unacknowledged.Values.Reverse())
        {
            Requeue(queue, message);
        }

        channel.Unacknowledged.Clear();
    }

    // In front, in its order.
    private void Requeue(string queue, FakeRabbitMqMessage message)
    {
        if (_queues[queue].DeliveryLimit < ++message.Returns)
        {
            _dropped.Add(message.Id);
            return;
        }

        _queues[queue].Ready.AddFirst(message);
    }

    // Delivers what the prefetch allows, and tells those that wait.
    private void Pump()
    {
        foreach (FakeRabbitMqChannel channel in _channels)
        {
            while (channel is { Queue: { } name, Consumer: { } consumer }
                && channel.Unacknowledged.Count < channel.Prefetch
                && _queues[name].Ready.First is { Value: { } message })
            {
                FakeRabbitMqQueue queue = _queues[name];
                queue.Ready.RemoveFirst();
                channel.Unacknowledged.Add(++channel.Tag, (name, message));
                _maxUnacknowledged = Math.Max(_maxUnacknowledged, channel.Unacknowledged.Count);
                channel.Deliver(consumer, message, queue.CountsDeliveries);
            }
        }

        foreach ((Func<bool> condition, TaskCompletionSource met) in _waiting.ToArray())
        {
            _ = condition() && met.TrySetResult();
        }

        _waiting.RemoveAll(static one => one.Met.Task.IsCompleted);
    }

    private T Read<T>(Func<T> read)
    {
        lock (_lock)
        {
            return read();
        }
    }
}

/// <summary>A queue; under the broker's lock.</summary>
internal sealed class FakeRabbitMqQueue(string type, int? policyLimit, Dictionary<string, object> arguments)
{
    public LinkedList<FakeRabbitMqMessage> Ready { get; } = [];

    public string Type => type;

    public Dictionary<string, object> Arguments => arguments;

    public bool CountsDeliveries => type == "quorum";

    public int DeliveryLimit => arguments.TryGetValue("x-delivery-limit", out object? limit) ? (int)limit : policyLimit ?? int.MaxValue;
}

/// <summary>A message of the broker.</summary>
internal sealed class FakeRabbitMqMessage(string id, BasicProperties properties, byte[] body)
{
    public string Id => id;

    public BasicProperties Properties => properties;

    public byte[] Body => body;

    /// <summary>How often it has been returned to its queue; under the broker's lock.</summary>
    public int Returns { get; set; }
}

/// <summary>A published message that is not confirmed.</summary>
internal sealed record FakeConfirmation(string Queue, FakeRabbitMqMessage Message)
{
    public TaskCompletionSource Confirmed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
}

/// <summary>A frame that was sent and has not arrived.</summary>
internal sealed class HeldFrame(string method)
{
    private readonly TaskCompletionSource _sent = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public string Method => method;

    /// <summary>Set, the frame fails with it instead of arriving.</summary>
    public Exception? Fault { get; set; }

    /// <summary>Completes once the worker has sent it.</summary>
    public Task Sent => _sent.Task.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);

    /// <summary>Lets it arrive.</summary>
    public void Release() => _released.TrySetResult();

    public Task WaitAsync()
    {
        _sent.TrySetResult();
        return _released.Task;
    }
}
