namespace Messaging.ServiceBus.Port;

/// <summary>Messages that are sent in one call. Threads: one at a time.</summary>
public interface IOutgoingBatch : IDisposable
{
    /// <summary>Messages in it.</summary>
    int Count { get; }

    /// <summary>Adds a message, unless the batch would become larger than the broker takes. A message that no empty batch takes is too large.</summary>
    bool TryAdd(string messageId, ReadOnlyMemory<byte> body);
}
