using Messaging.AzureServiceBus.Port;

namespace Worker.Tests.ServiceBus;

/// <summary>A batch with a maximum of bytes.</summary>
internal sealed class FakeBatch(int bytes) : IOutgoingBatch
{
    private int _left = bytes;

    public List<(string Id, byte[] Body)> Messages { get; } = [];

    public int Count => Messages.Count;

    public bool IsDisposed { get; private set; }

    public bool TryAdd(string messageId, ReadOnlyMemory<byte> body)
    {
        if (body.Length > _left)
        {
            return false;
        }

        _left -= body.Length;
        Messages.Add((messageId, body.ToArray()));
        return true;
    }

    public void Dispose() => IsDisposed = true;
}
