using Quayside.Messaging.Sources.InMemory;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>A message received as a datagram. Its sender gets no answer.</summary>
internal sealed class DatagramMessage(InMemoryMessages<DatagramMessage> inMemory) : InMemoryMessage
{
    public void Open(ReadOnlySpan<byte> body, BufferPool buffers, DateTimeOffset now) => Fill(body, buffers, now);

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
        inMemory.SettleAsync(this, settlement, cancellationToken);
}
