using Messaging.AzureServiceBus.Port;

namespace Worker.Tests.ServiceBus;

/// <summary>One delivery of a message of a <see cref="FakeBus"/>.</summary>
internal sealed class FakeLockedMessage(FakeBus bus, BusEntry entry) : LockedMessage
{
    public BusEntry Entry { get; } = entry;

    public Guid LockToken { get; } = entry.LockToken;

    public override ReadOnlyMemory<byte> Body => Entry.Body;

    public override string? MessageId => Entry.Id;

    public override long SequenceNumber => Entry.Number;

    public override int DeliveryCount { get; } = entry.DeliveryCount;

    public override DateTimeOffset EnqueuedAt => Entry.EnqueuedAt;

    public override IReadOnlyDictionary<string, object> Properties => Entry.Properties;

    public override DateTimeOffset LockedUntil => Entry.LockedUntil;

    public override Task RenewAsync(CancellationToken cancellationToken) => bus.RenewAsync(this);

    public override Task CompleteAsync(CancellationToken cancellationToken) => bus.SettleAsync(this, "Complete", letter: null, cancellationToken);

    public override Task AbandonAsync(CancellationToken cancellationToken) => bus.SettleAsync(this, "Abandon", letter: null, cancellationToken);

    public override Task DeadLetterAsync(string reason, string description, IDictionary<string, object> properties, CancellationToken cancellationToken)
    {
        // As the library does.
        Math.Max(reason.Length, description.Length).ShouldBeLessThanOrEqualTo(4096);
        return bus.SettleAsync(this, "DeadLetter", new BusLetter(Entry, reason, description, properties), cancellationToken);
    }
}
