using System.Text;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sources.Polling;

/// <summary>A claimed item of a <see cref="PollingMessageSource{TItem}"/>: one object for all its deliveries by this process.</summary>
internal sealed class PolledMessage<TItem>(PollingMessageSource<TItem> source, TItem item) : ReceivedMessage
    where TItem : notnull
{
    private byte[] _id = [];
    private DateTimeOffset? _enqueuedAt;
    private ReadOnlyMemory<byte> _body;
    private int _deliveries;

    public TItem Item => item;

    /// <summary>Null until <see cref="Identify"/>.</summary>
    public string? Id { get; private set; }

    /// <summary>Failures in a row to read, complete or dead-letter it.</summary>
    public int Failures { get; set; }

    public override ReadOnlyMemory<byte> Body => _body;

    public override ReadOnlyMemory<byte> SourceId => _id;

    public override int DeliveryCount => _deliveries;

    public override DateTimeOffset? EnqueuedAt => _enqueuedAt;

    public void Identify(string id, DateTimeOffset? enqueuedAt)
    {
        (_id, _enqueuedAt) = (Encoding.UTF8.GetBytes(id), enqueuedAt);
        Id = id;
    }

    public void BeginDelivery(ReadOnlyMemory<byte> body)
    {
        if (_deliveries++ > 0)
        {
            ResetSettlement();
        }

        _body = body;
    }

    /// <summary>Drops the body, which is read again before the next delivery.</summary>
    public void EndDelivery() => _body = default;

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => source.SettleAsync(this, settlement);
}
