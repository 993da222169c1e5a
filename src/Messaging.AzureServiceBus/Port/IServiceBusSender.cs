namespace Messaging.AzureServiceBus.Port;

/// <summary>Sends messages in batches, which the broker accepts as a whole or not at all. Every failure is a <see cref="ServiceBusFaultException"/>. Threads: any.</summary>
public interface IServiceBusSender : IAsyncDisposable
{
    /// <summary>Creates an empty batch; asks the broker for the entity's maximum size.</summary>
    ValueTask<IOutgoingBatch> CreateBatchAsync(CancellationToken cancellationToken);

    /// <summary>Sends a batch: all of its messages or none.</summary>
    Task SendAsync(IOutgoingBatch batch, CancellationToken cancellationToken);
}

/// <summary>Messages that are sent in one call. Threads: one at a time.</summary>
public interface IOutgoingBatch : IDisposable
{
    /// <summary>Messages in the batch.</summary>
    int Count { get; }

    /// <summary>Adds a message if the batch then stays within the broker's limit. A message that does not fit an empty batch is too large to send.</summary>
    bool TryAdd(string messageId, ReadOnlyMemory<byte> body);
}
