using System.Reflection;
using Quayside.Messaging.RabbitMq;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Messaging.Tests.RabbitMq;

/// <summary>A connection of the client to a <see cref="FakeRabbitMq"/>.</summary>
internal class FakeRabbitMqConnection : DispatchProxy
{
    private readonly List<FakeRabbitMqChannel> _channels = [];
    private FakeRabbitMq? _broker;

    public static IConnection Create(FakeRabbitMq broker)
    {
        IConnection connection = Create<IConnection, FakeRabbitMqConnection>();
        ((FakeRabbitMqConnection)connection)._broker = broker;
        return connection;
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        switch (targetMethod!.Name)
        {
            case nameof(IConnection.CreateChannelAsync):
                FakeRabbitMqChannel channel = _broker!.Open();
                lock (_channels)
                {
                    _channels.Add(channel);
                }

                return Task.FromResult(FakeRabbitMqChannelProxy.Create(channel));
            case nameof(IConnection.CloseAsync) or nameof(IAsyncDisposable.DisposeAsync) or nameof(IDisposable.Dispose):
                lock (_channels)
                {
                    _broker!.CloseAll([.. _channels]);
                    _channels.Clear();
                }

                return Answer(targetMethod, null);
            default:
                return Answer(targetMethod, null);
        }
    }

    internal static object? Answer(MethodInfo method, object? value) =>
        method.ReturnType == typeof(Task)
            ? Task.CompletedTask
            : method.ReturnType == typeof(ValueTask)
            ? default(ValueTask)
            : method.ReturnType == typeof(void) || !method.ReturnType.IsValueType
            ? value
            : value ?? Activator.CreateInstance(method.ReturnType);
}

/// <summary>One channel, under the broker's lock.</summary>
internal sealed class FakeRabbitMqChannel(FakeRabbitMq broker)
{
    public FakeRabbitMq Broker => broker;

    public SortedDictionary<ulong, (string Queue, FakeRabbitMqMessage Message)> Unacknowledged { get; } = [];

    public bool IsOpen { get; set; } = true;

    public int Prefetch { get; set; } = int.MaxValue;

    public ulong Tag { get; set; }

    public string? Queue { get; set; }

    public IAsyncBasicConsumer? Consumer { get; set; }

    public void Deliver(IAsyncBasicConsumer consumer, FakeRabbitMqMessage message, bool countsDeliveries)
    {
        BasicProperties properties = new(message.Properties);
        if (countsDeliveries && message.Returns > 0)
        {
            properties.Headers = new Dictionary<string, object?>(
                properties.Headers ?? new Dictionary<string, object?>(StringComparer.Ordinal), StringComparer.Ordinal)
            { ["x-delivery-count"] = (long)message.Returns };
        }

        byte[] body = [.. message.Body];
        Task delivered = consumer.HandleBasicDeliverAsync("consumer", Tag, message.Returns > 0, string.Empty, Queue!, properties, body, CancellationToken.None);
        if (!delivered.IsCompletedSuccessfully)
        {
            throw new InvalidOperationException("The consumer takes a delivery without waiting.", delivered.Exception);
        }

        // The client uses its buffer again.
        Array.Fill(body, (byte)'#');
    }

    public Task ShutdownAsync(ShutdownEventArgs reason) => Consumer?.HandleChannelShutdownAsync(this, reason) ?? Task.CompletedTask;
}

/// <summary>The client's interface of a channel.</summary>
internal class FakeRabbitMqChannelProxy : DispatchProxy
{
    private FakeRabbitMqChannel? _channel;

    public static IChannel Create(FakeRabbitMqChannel channel)
    {
        IChannel proxy = Create<IChannel, FakeRabbitMqChannelProxy>();
        ((FakeRabbitMqChannelProxy)proxy)._channel = channel;
        return proxy;
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        FakeRabbitMqChannel channel = _channel!;
        FakeRabbitMq broker = channel.Broker;
        switch (targetMethod!.Name)
        {
            case nameof(IChannel.BasicQosAsync):
                channel.Prefetch = (ushort)args![1]!;
                break;
            case nameof(IChannel.BasicConsumeAsync):
                return ConsumeAsync((string)args![0]!, (IAsyncBasicConsumer)args[6]!, (args[5] as IDictionary<string, object?>)?["x-priority"]);
            case nameof(IChannel.BasicGetAsync):
                return Task.FromResult(broker.Get(channel, (string)args![0]!));
            case nameof(IChannel.MessageCountAsync):
                return Task.FromResult(broker.Find((string)args![0]!).MessageCount);
            case nameof(IChannel.BasicCancelAsync):
                broker.Cancel(channel);
                break;
            case nameof(IChannel.BasicAckAsync):
                return new ValueTask(broker.SettleAsync(channel, targetMethod.Name, (ulong)args![0]!, (bool)args[1]!, requeue: false));
            case nameof(IChannel.BasicNackAsync):
                return new ValueTask(broker.SettleAsync(channel, targetMethod.Name, (ulong)args![0]!, (bool)args[1]!, (bool)args[2]!));
            case nameof(IChannel.BasicRejectAsync):
                return new ValueTask(broker.SettleAsync(channel, targetMethod.Name, (ulong)args![0]!, multiple: false, (bool)args[1]!));
            case nameof(IChannel.BasicPublishAsync):
                return broker.PublishAsync(
                    channel, $"{args![1]}", (BasicProperties)args[3]!, ((ReadOnlyMemory<byte>)args[4]!).ToArray(), (CancellationToken)args[5]!);
            case nameof(IChannel.QueueDeclarePassiveAsync):
                return FindAsync((string)args![0]!);
            case nameof(IChannel.QueueDeclareAsync):
                return RedeclareAsync((string)args![0]!, (IDictionary<string, object?>)args[4]!);
            case "get_IsOpen":
                return channel.IsOpen;
        }

        return FakeRabbitMqConnection.Answer(targetMethod, null);
    }

    private async Task<string> ConsumeAsync(string queue, IAsyncBasicConsumer consumer, object? priority)
    {
        await Task.Yield();
        _channel!.Broker.Consume(_channel, queue, consumer, priority);
        return "consumer";
    }

    private async Task<QueueDeclareOk> RedeclareAsync(string queue, IDictionary<string, object?> arguments)
    {
        await Task.Yield();
        return _channel!.Broker.Redeclare(queue, arguments);
    }

    private async Task<QueueDeclareOk> FindAsync(string queue)
    {
        await Task.Yield();
        return _channel!.Broker.Find(queue);
    }
}

/// <summary>Settings whose connections lead to a <see cref="FakeRabbitMq"/>, until their process is killed.</summary>
internal sealed class FakeRabbitMqOptions(FakeRabbitMq broker) : RabbitMqSourceOptions
{
    private volatile bool _isKilled;

    public override async Task<IConnection> ConnectAsync(string purpose, CancellationToken cancellationToken)
    {
        await Task.Yield();
        return _isKilled ? throw new IOException("The process is gone.") : broker.Connect();
    }

    /// <summary>Its process ends: nothing of it reaches the broker any more.</summary>
    public Task KillAsync()
    {
        _isKilled = true;
        return broker.BreakAsync();
    }
}
