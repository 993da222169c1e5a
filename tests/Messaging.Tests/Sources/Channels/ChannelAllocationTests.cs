using System.Buffers;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Channels;
using Quayside.Pipeline.Buffers;
using Tests.Shared;

namespace Messaging.Tests.Sources.Channels;

[Collection(AllocationCollection.Name)]
public sealed class ChannelAllocationTests
{
    private const int Messages = 500;
    private const int Rounds = 80;

    [Theory]
    [InlineData(1, null)]
    [InlineData(1, "a-given-id")]
    [InlineData(500, null)]
    public async Task PublishAndComplete_Warm_AllocatesNothing(int inFlight, string? id)
    {
        // The shared array pool keeps 32 arrays per size and core, fewer than this test uses concurrently; those allocations are not the source's.
        ArrayPool<byte> arrays = ArrayPool<byte>.Create(maxArrayLength: 4_096, maxArraysPerBucket: 1_024);
        await using ServiceProvider services = new ServiceCollection().BuildServiceProvider();
        ChannelPublishers publishers = new();
        await using ChannelMessageSource source = new(
            new SourceServices { Route = "orders", Services = services, DeadLetters = new MemoryDeadLetters(), Concurrency = 64 },
            new ChannelSourceOptions(),
            publishers,
            new BufferPool(arrays));
        CompletingIntake intake = new();
        using CancellationTokenSource stop = new();
        Task receiving = Task.Run(() => source.ReceiveAsync(intake, stop.Token));
        byte[] body = new byte[1_024];
        ChannelPublisher publisher = publishers.For("orders");
        Run(publisher, intake, body, id, inFlight);

        long min = MinBytes.OfProcess(() => Run(publisher, intake, body, id, inFlight), Rounds);

        TestContext.Current.TestOutputHelper?.WriteLine($"{(double)min / Messages:F3} B per message, {inFlight} in flight");
        ((double)min / Messages).ShouldBeLessThan(1);
        await stop.CancelAsync();
        await receiving;
    }

    [Fact]
    public async Task Publish_Waiting_AllocatesLittle()
    {
        await using ServiceProvider services = new ServiceCollection().BuildServiceProvider();
        ChannelPublishers publishers = new();
        await using ChannelMessageSource source = new(
            new SourceServices { Route = "orders", Services = services, DeadLetters = new MemoryDeadLetters(), Concurrency = 64 },
            new ChannelSourceOptions { Capacity = 4 },
            publishers,
            new BufferPool());
        CompletingIntake intake = new();
        using CancellationTokenSource stop = new();
        Task receiving = Task.Run(() => source.ReceiveAsync(intake, stop.Token));
        ChannelPublisher publisher = publishers.For("orders");
        await PublishAllAsync(publisher);

        double bytes = (double)await MinBytes.OfProcessAsync(() => PublishAllAsync(publisher)) / Messages;

        TestContext.Current.TestOutputHelper?.WriteLine($"{bytes:F1} B per message with a full channel");
        bytes.ShouldBeLessThan(600);
        await stop.CancelAsync();
        await receiving;
    }

    private static async Task PublishAllAsync(ChannelPublisher publisher)
    {
        for (int i = 0; i < Messages; i++)
        {
            await publisher.PublishAsync(default);
        }
    }

    private static void Run(ChannelPublisher publisher, CompletingIntake intake, byte[] body, string? id, int inFlight)
    {
        for (int sent = 0; sent < Messages; sent += inFlight)
        {
            int target = intake.Completed + inFlight;
            for (int i = 0; i < inFlight; i++)
            {
                publisher.PublishAsync(body, id).IsCompletedSuccessfully.ShouldBeTrue();
            }

            SpinWait wait = default;
            while (intake.Completed < target)
            {
                wait.SpinOnce(sleep1Threshold: -1);
            }
        }
    }
}
