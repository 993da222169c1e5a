using Messaging.AzureServiceBus.Port;
using Proof.Simulation;

namespace Proof.Models;

/// <summary>One delivery of a message, locked for one process.</summary>
internal sealed class BusMessage(BusModel bus, BusPump pump, QueuedMessage message) : LockedMessage
{
    private readonly string _handle = message.Handle;

    public override ReadOnlyMemory<byte> Body
    {
        get
        {
            if (bus.World.HasForeignBodies && bus.World.Work.IsMalformed(message.Body))
            {
                bus.World.Meets(Fault.BusBodyIsForeign);
                throw AmqpBody.Unsupported("an AMQP sequence");
            }

            return message.Body;
        }
    }

    public override string? MessageId => message.Id;

    public override long SequenceNumber => message.Number;

    public override int DeliveryCount { get; } = message.Deliveries;

    public override DateTimeOffset EnqueuedAt => SimulatedTime.Start;

    public override DateTimeOffset LockedUntil => SimulatedTime.Start + TimeSpan.FromTicks(message.VisibleAt) + bus.World.Time.WallOffset;

    public override IReadOnlyDictionary<string, object> Properties { get; } = new Dictionary<string, object>(StringComparer.Ordinal);

    public override Task RenewAsync(CancellationToken cancellationToken) => pump.CallAsync(() => bus.Renew(message, _handle), cancellationToken);

    public override Task CompleteAsync(CancellationToken cancellationToken) => pump.CallAsync(() => bus.Complete(message, _handle), cancellationToken);

    public override Task AbandonAsync(CancellationToken cancellationToken) => pump.CallAsync(() => bus.Abandon(message, _handle), cancellationToken);

    public override Task DeadLetterAsync(string reason, string description, IDictionary<string, object> properties, CancellationToken cancellationToken) =>
        pump.CallAsync(() => bus.DeadLetter(message, _handle), cancellationToken);
}
