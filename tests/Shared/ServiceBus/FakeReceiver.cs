using Azure.Messaging.ServiceBus;

namespace Shared.ServiceBus;

/// <summary>A receiver over an <see cref="IFakeBroker"/>. As with the real one, each delivery is settled by its lock token, over any receiver.</summary>
internal sealed class FakeReceiver(IFakeBroker broker, ServiceBusReceiverOptions options) : ServiceBusReceiver
{
    private volatile bool _isClosed;

    public override ServiceBusReceiveMode ReceiveMode => options.ReceiveMode;

    public override int PrefetchCount => options.PrefetchCount;

    public override bool IsClosed => _isClosed;

    public override async Task<ServiceBusReceivedMessage> ReceiveMessageAsync(TimeSpan? maxWaitTime = null, CancellationToken cancellationToken = default) =>
        (await Open().ReceiveAsync(this, cancellationToken))!;

    public override async Task<ServiceBusReceivedMessage> PeekMessageAsync(long? fromSequenceNumber = null, CancellationToken cancellationToken = default)
    {
        await Open().PeekAsync(cancellationToken);
        return null!;
    }

    public override async Task RenewMessageLockAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken = default)
    {
        DateTimeOffset until = await Open().RenewAsync(Guid.Parse(message.LockToken), cancellationToken);

        // Where the real client reads LockedUntil.
        message.GetRawAmqpMessage().MessageAnnotations["x-opt-locked-until"] = until.UtcDateTime;
    }

    public override Task CompleteMessageAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken = default) =>
        SettleAsync(message, FakeSettlement.Complete, cancellationToken);

    public override Task AbandonMessageAsync(
        ServiceBusReceivedMessage message, IDictionary<string, object>? propertiesToModify = null, CancellationToken cancellationToken = default) =>
        SettleAsync(message, FakeSettlement.Abandon, cancellationToken);

    public override Task DeadLetterMessageAsync(
        ServiceBusReceivedMessage message, IDictionary<string, object>? propertiesToModify, string deadLetterReason, string? deadLetterErrorDescription = null,
        CancellationToken cancellationToken = default)
    {
        // As the real client does.
        if (deadLetterReason.Length > 4096 || deadLetterErrorDescription?.Length > 4096)
        {
            throw new ArgumentOutOfRangeException(nameof(deadLetterReason), "The reason or the description has more than 4,096 characters.");
        }

        FakeSettlement settlement =
            new("DeadLetter", deadLetterReason, deadLetterErrorDescription ?? string.Empty, propertiesToModify ?? FakeSettlement.Complete.Properties);
        return SettleAsync(message, settlement, cancellationToken);
    }

    public override async Task CloseAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            await broker.CloseAsync(this, cancellationToken);
        }
        finally
        {
            _isClosed = true;
        }
    }

    public override async ValueTask DisposeAsync() => await CloseAsync();

    private IFakeBroker Open() => _isClosed ? throw new ObjectDisposedException(nameof(ServiceBusReceiver)) : broker;

    private Task SettleAsync(ServiceBusReceivedMessage message, FakeSettlement settlement, CancellationToken cancellationToken) =>
        Open().SettleAsync(Guid.Parse(message.LockToken), settlement, cancellationToken);
}
