using System.IO.Compression;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Envelopes;

/// <summary>A small body that decompresses to a large one costs no more than a route allows. Alone, since the bytes are those of the process.</summary>
[Collection(AllocationCollection.Name)]
public sealed class DecompressionLimitTests
{
    [Fact]
    public async Task Content_LargerThanTheRouteAllows_IsNotDecompressed()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("Gzip", "Stages:MaxMessageBytes=64KiB");
        string bomb = new(' ', 64 << 20);
        byte[] body = FormatTests.Compressed(bomb, stream => new GZipStream(stream, CompressionLevel.SmallestSize));
        body.Length.ShouldBeLessThanOrEqualTo(70_000);
        await worker.SendAsync(body[..8]);
        long before = GC.GetTotalAllocatedBytes(precise: true);

        Settlement settlement = await worker.SendAsync(body[..Math.Min(body.Length, 64 << 10)]);

        settlement.Reason.ShouldBe("too-large");
        (GC.GetTotalAllocatedBytes(precise: true) - before).ShouldBeLessThan(16 << 20);
    }
}
