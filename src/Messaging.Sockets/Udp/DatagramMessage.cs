using System.Globalization;
using Quayside.Messaging.Sources.InMemory;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>A message received as a datagram. Its sender gets no answer.</summary>
internal sealed class DatagramMessage(InMemoryMessages<DatagramMessage> inMemory) : InMemoryMessage
{
    /// <summary>The attribute of <see cref="UdpChecksum.Compute"/>: eight hexadecimal digits.</summary>
    public const string ChecksumAttribute = "fletcher32";

    private uint? _checksum;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => _checksum is { } checksum
        ? [new(ChecksumAttribute, checksum.ToString("x8", CultureInfo.InvariantCulture))]
        : [];

    public void Open(ReadOnlySpan<byte> body, uint? checksum, BufferPool buffers, DateTimeOffset now)
    {
        Fill(body, buffers, now);
        _checksum = checksum;
    }

    protected override void Clear()
    {
        base.Clear();
        _checksum = null;
    }

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
        inMemory.SettleAsync(this, settlement, cancellationToken);
}
