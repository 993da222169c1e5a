using System.Buffers;
using System.Text.Json;
using Messaging.DeadLetters;
using Messaging.Handlers;
using Messaging.Routes;
using Messaging.Sources.Channels;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Buffers;
using Pipeline.Settlements;
using Worker.Tests.Intake;
using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Handlers.Typed;

/// <summary>A whole route, from the publisher to the completed message: what it allocates beside the object that the handler gets.</summary>
[Collection(IntakeAllocations.Name)]
public sealed class JsonHandlerAllocationTests
{
    private const int Messages = 5_000;

    private static readonly byte[] Body = """{"id":"4711","quantity":3,"placedAt":"2026-01-31T10:20:30Z","lines":[{"article":"apple","price":1.5}]}"""u8.ToArray();

    [Fact]
    public async Task Handle_Synchronously_AllocatesTheObjectAlone()
    {
        CountingHandler handler = new();

        // The shared array pool keeps fewer arrays than are in use at once here; that is not the route's cost.
        BufferPool buffers = new(ArrayPool<byte>.Create(maxArrayLength: 4_096, maxArraysPerBucket: 1_024));
        await using ServiceProvider services = HandlerRoute.Build(
            worker =>
            {
                worker.Services.AddSingleton(buffers).AddSingleton(handler);
                worker.AddHandler<Order, CountingHandler>("Orders", TestJson.Default.Order);
            },
            TimeProvider.System, NullLoggerFactory.Instance, new MemoryDeadLetters());
        await using MessageRoute route = new(
            services.GetRequiredService<WorkerPlan>().Routes.Single(), services, services.GetRequiredService<IDeadLetterStore>(), NullLoggerFactory.Instance, TimeProvider.System);
        route.Start();
        ChannelPublisher publisher = services.GetRequiredService<ChannelPublishers>().For("orders");

        double least = double.MaxValue;
        double alone = double.MaxValue;
        for (int round = 0; round < 8; round++)
        {
            least = Math.Min(least, Measure(() => Publish(publisher)));
            alone = Math.Min(alone, Measure(Deserialize));
        }

        await route.DrainAsync(CancellationToken.None);
        TestContext.Current.TestOutputHelper?.WriteLine($"{least:F2} B a message, of which the object and what it refers to {alone:F2} B");
        handler.Handled.ShouldBe(8 * Messages);
        (least - alone).ShouldBeLessThan(1);
    }

    private static double Measure(Action action)
    {
        long before = GC.GetTotalAllocatedBytes(precise: true);
        action();
        return (double)(GC.GetTotalAllocatedBytes(precise: true) - before) / Messages;
    }

    private static void Publish(ChannelPublisher publisher)
    {
        long target = publisher.Completed + Messages;
        SpinWait wait = default;
        for (int i = 0; i < Messages; i++)
        {
            // Waiting for room would allocate in the publisher.
            while (publisher.Held > 500)
            {
                wait.SpinOnce(sleep1Threshold: -1);
            }

            publisher.PublishAsync(Body).IsCompletedSuccessfully.ShouldBeTrue();
        }

        while (publisher.Completed < target)
        {
            wait.SpinOnce(sleep1Threshold: -1);
        }
    }

    private static void Deserialize()
    {
        for (int i = 0; i < Messages; i++)
        {
            JsonSerializer.Deserialize(Body, TestJson.Default.Order).ShouldNotBeNull();
        }
    }

    private sealed class CountingHandler : IMessageHandler<Order>
    {
        private int _handled;

        public int Handled => Volatile.Read(ref _handled);

        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _handled);
            return new(info.Body.Length > 0 && info.SourceId.Length > 0 ? Settlement.Complete : default);
        }
    }
}
