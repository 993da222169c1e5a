using Azure.Core.Amqp;
using Azure.Messaging.ServiceBus;
using Messaging.AzureServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>A received message: settled over its link, or by its lock token after the run has stopped.</summary>
internal sealed class SdkLockedMessage : LockedMessage
{
    // Bounds for half of a lock's time, so that a clock that differs from the broker's causes neither a lost lock nor a hot loop.
    private static readonly TimeSpan MinWait = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(30);

    private readonly ServiceBusReceivedMessage _message;
    private readonly ServiceBusReceiver _receiver;
    private readonly SdkRun _run;
    private readonly long _receivedAt = TimeProvider.System.GetTimestamp();
    private ReadOnlyMemory<byte>? _body;

    // Ticks since the message was received. Written by the renewal.
    private long _renewAfter;
    private volatile bool _isSettled;

    public SdkLockedMessage(ServiceBusReceivedMessage message, ServiceBusReceiver receiver, SdkRun run)
    {
        _message = message;
        _receiver = receiver;
        _run = run;
        _renewAfter = HalfOfTheLock();
    }

    // The SDK's own Body property supports data sections only.
    public override ReadOnlyMemory<byte> Body => _body ??= Read(_message.GetRawAmqpMessage().Body);

    public override string? MessageId => _message.MessageId;

    public override long SequenceNumber => _message.SequenceNumber;

    public override int DeliveryCount => _message.DeliveryCount;

    public override DateTimeOffset EnqueuedAt => _message.EnqueuedTime;

    public override IReadOnlyDictionary<string, object> Properties => _message.ApplicationProperties;

    public override DateTimeOffset LockedUntil => _message.LockedUntil;

    private ServiceBusReceiver Receiver => _run.AfterStop ?? _receiver;

    /// <summary>True once half of the lock's time has passed; then not again until the renewal has ended.</summary>
    /// <param name="limit">How long the lock is renewed.</param>
    public bool IsRenewalDue(TimeSpan limit)
    {
        TimeSpan age = TimeProvider.System.GetElapsedTime(_receivedAt);
        long after = Volatile.Read(ref _renewAfter);
        if (_isSettled || age.Ticks < after || age >= limit)
        {
            return false;
        }

        Volatile.Write(ref _renewAfter, long.MaxValue);
        return true;
    }

    /// <summary>Schedules another renewal if it can help; false when the message was settled meanwhile.</summary>
    public bool RenewalFailed(ServiceBusFault fault)
    {
        if (fault.Kind == ServiceBusFaultKind.Transient)
        {
            Volatile.Write(ref _renewAfter, (TimeProvider.System.GetElapsedTime(_receivedAt) + MinWait).Ticks);
        }

        return !_isSettled;
    }

    public override async Task RenewAsync(CancellationToken cancellationToken)
    {
        await SdkFaults.ConvertAsync(Receiver.RenewMessageLockAsync(_message, cancellationToken), cancellationToken);
        Volatile.Write(ref _renewAfter, HalfOfTheLock());
    }

    public override Task CompleteAsync(CancellationToken cancellationToken) => SettleAsync(Receiver.CompleteMessageAsync(_message, cancellationToken), cancellationToken);

    public override Task AbandonAsync(CancellationToken cancellationToken) => SettleAsync(Receiver.AbandonMessageAsync(_message, cancellationToken: cancellationToken), cancellationToken);

    public override Task DeadLetterAsync(string reason, string description, IDictionary<string, object> properties, CancellationToken cancellationToken) =>
        SettleAsync(Receiver.DeadLetterMessageAsync(_message, properties, reason, description, cancellationToken), cancellationToken);

    private async Task SettleAsync(Task settling, CancellationToken cancellationToken)
    {
        await SdkFaults.ConvertAsync(settling, cancellationToken);
        _isSettled = true;
    }

    private long HalfOfTheLock()
    {
        TimeSpan half = (_message.LockedUntil - TimeProvider.System.GetUtcNow()) / 2;
        return (TimeProvider.System.GetElapsedTime(_receivedAt) + (half < MinWait ? MinWait : half > MaxWait ? MaxWait : half)).Ticks;
    }

    private static ReadOnlyMemory<byte> Read(AmqpMessageBody body)
    {
        if (body.TryGetData(out IEnumerable<ReadOnlyMemory<byte>>? data) && data is not null)
        {
            return AmqpBody.FromData(data);
        }

        return body.TryGetValue(out object? value) ? AmqpBody.FromValue(value) : throw AmqpBody.Unsupported($"an AMQP {body.BodyType.ToString().ToLowerInvariant()}");
    }
}
