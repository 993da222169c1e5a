using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;
using Quayside.Messaging.Sinks.Memory;
using Tests.Shared;

namespace Messaging.Tests.Sinks.Bundles;

/// <summary>Bytes allocated per bundled message on all threads: only the bundle allocates.</summary>
[Collection(AllocationCollection.Name)]
public sealed class BundlingSinkAllocationTests
{
    private const int Messages = 500;
    private const int Bundles = 40;

    // Measured 1.3: the compressor's stream, the name and a few small objects, once per bundle.
    private const int MaxBytes = 8;

    [Fact]
    public async Task Store_Warm_AllocatesLittleMoreThanTheBundle()
    {
        await using BundlingSink sink = Sink();
        byte[][] keys = [.. Enumerable.Range(0, Messages).Select(i => Encoding.UTF8.GetBytes($"product/site/event/2026/01/31/10/{i:d32}.json"))];
        byte[][] bodies = [.. Enumerable.Range(0, Messages).Select(i => Encoding.UTF8.GetBytes($"{{\"MessageId\":\"{i:d32}\",\"Payload\":\"{i * 7919}\"}}"))];
        ValueTask<SinkResult>[] stores = new ValueTask<SinkResult>[Messages];
        using CancellationTokenSource source = new();

        CancellationToken token = source.Token;
        double min = (double)MinBytes.OfProcess(() => Run(sink, keys, bodies, stores, token).ShouldBe(Messages * Bundles)) / (Messages * Bundles);

        TestContext.Current.TestOutputHelper?.WriteLine($"{min:F1} B per message in bundles of {Messages}");
        min.ShouldBeLessThan(MaxBytes);
    }

    private static BundlingSink Sink()
    {
        BundlesOptions options = new() { Enabled = true, MaxMessages = Messages };
        SinkServices services = new() { Services = new ServiceCollection().BuildServiceProvider() };
        return new BundlingSink(
            new MemorySink(new MemorySinkOptions { Capacity = 0 }), options, new BundleLimits("allocations", 2 * Messages, 2 * Messages, 1 << 30),
            services);
    }

    private static int Run(BundlingSink sink, byte[][] keys, byte[][] bodies, ValueTask<SinkResult>[] stores, CancellationToken token)
    {
        int stored = 0;
        SpinWait spin = default;
        for (int bundle = 0; bundle < Bundles; bundle++)
        {
            for (int i = 0; i < Messages; i++)
            {
                stores[i] = sink.StoreAsync(keys[i], bodies[i], token);
            }

            foreach (ref ValueTask<SinkResult> store in stores.AsSpan())
            {
                while (!store.IsCompleted)
                {
                    spin.SpinOnce(sleep1Threshold: -1);
                }

                stored += store.GetAwaiter().GetResult().Status == SinkStatus.Stored ? 1 : 0;
            }
        }

        return stored;
    }
}
