namespace Messaging.ServiceBus.Port;

/// <summary>Sends messages in batches that the broker takes whole. Every failure is a <see cref="ServiceBusFaultException"/>. Threads: any.</summary>
public interface IServiceBusSender : IAsyncDisposable
{
    /// <summary>An empty batch of the size that the entity takes; asks the broker for it.</summary>
    ValueTask<IOutgoingBatch> CreateBatchAsync(CancellationToken cancellationToken);

    /// <summary>Sends a batch: all of it or nothing.</summary>
    Task SendAsync(IOutgoingBatch batch, CancellationToken cancellationToken);
}

/// <summary>Messages that are sent in one call. Threads: one at a time.</summary>
public interface IOutgoingBatch : IDisposable
{
    /// <summary>Messages in it.</summary>
    int Count { get; }

    /// <summary>Adds a message, unless the batch would become larger than the broker takes. A message that no empty batch takes is too large.</summary>
    bool TryAdd(string messageId, ReadOnlyMemory<byte> body);
}
