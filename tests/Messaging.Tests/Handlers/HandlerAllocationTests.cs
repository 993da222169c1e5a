using System.Buffers;
using System.Diagnostics;
using System.Text.Json;
using Messaging.Tests.Handlers.Typed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Handlers.Typed;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sources.Channels;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;
using Tests.Shared;

namespace Messaging.Tests.Handlers;

/// <summary>Bytes that a whole route allocates, from the publisher to the completed message, without the handler's object.</summary>
[Collection(AllocationCollection.Name)]
public sealed class HandlerAllocationTests
{
    private const int Messages = 5_000;

    // One is enough once the JIT's second tier is reached.
    private const int MaxRounds = 30;

    private static readonly byte[] Body =
        """{"id":"4711","quantity":3,"placedAt":"2026-01-31T10:20:30Z","lines":[{"article":"apple","price":1.5}]}"""u8.ToArray();

    [Fact]
    public async Task Handle_Synchronously_AllocatesOnlyTheObject() =>
        (await MeasureAsync(worker => worker.AddHandler<Order, CompletingHandler>("Orders", TestJson.Default.Order), 1)).ShouldBeLessThan(1);

    [Fact]
    public async Task Handle_InAScope_CostsTheScopeAndTheHandler()
    {
        double bytes = await MeasureAsync(worker => worker.AddScopedHandler<Order, CompletingHandler>("Orders", TestJson.Default.Order), 400);

        TestContext.Current.TestOutputHelper?.WriteLine($"{await TimeAsync():F0} ns per call more than without a scope");
        bytes.ShouldBeLessThan(400);
    }

    [Fact]
    public async Task Handle_InBatches_AllocatesAFewObjectsABatch() =>
        (await MeasureAsync(worker => worker.AddBatchHandler<Order, CompletingBatchHandler>("Orders", TestJson.Default.Order), 40)).ShouldBeLessThan(40);

    /// <param name="add">Adds the handler.</param>
    /// <param name="bound">Bytes per message below which no further round is needed.</param>
    /// <returns>Bytes per message, without those of its object.</returns>
    private static async Task<double> MeasureAsync(Action<IMessageWorkerBuilder> add, int bound)
    {
        // The shared array pool keeps fewer arrays than this test uses concurrently; those allocations are not the route's.
        BufferPool buffers = new(ArrayPool<byte>.Create(maxArrayLength: 4_096, maxArraysPerBucket: 1_024));
        await using ServiceProvider services = HandlerRoute.Build(
            worker =>
            {
                worker.Services.AddSingleton(buffers);
                add(worker);
            },
            TimeProvider.System, NullLoggerFactory.Instance, new MemoryDeadLetters());
        await using MessageRoute route = new(
            services.GetRequiredService<WorkerPlan>().Routes.Single(), services, services.GetRequiredService<IDeadLetterStore>(), NullLoggerFactory.Instance,
            TimeProvider.System);
        route.Start();
        ChannelPublisher publisher = services.GetRequiredService<ChannelPublishers>().For("orders");

        int published = 0;
        long objects = MinBytes.OfThread(Deserialize);
        double alone = (double)objects / Messages;
        double min = (double)MinBytes.OfProcess(Round, MaxRounds, objects + (bound * Messages)) / Messages;
        publisher.Completed.ShouldBe(published);
        await route.DrainAsync(CancellationToken.None);
        TestContext.Current.TestOutputHelper?.WriteLine($"{min - alone:F2} B per message, and {alone:F0} B for the object and what it refers to");
        return min - alone;

        void Round()
        {
            Publish(publisher);
            published += Messages;
        }
    }

    /// <returns>Nanoseconds per scope with its own handler: the minimum of several rounds.</returns>
    private static async Task<double> TimeAsync()
    {
        await using ServiceProvider services = new ServiceCollection().BuildServiceProvider();
        CompletingHandler direct = new();
        ScopedHandler<Order, CompletingHandler> scoped = new(new ScopedFactory<CompletingHandler>(services));
        double min = double.MaxValue;
        for (int round = 0; round < 10; round++)
        {
            min = Math.Min(min, Nanoseconds(scoped) - Nanoseconds(direct));
        }

        return min;

        static double Nanoseconds(IMessageHandler<Order> handler)
        {
            const int Calls = 50_000;
            Order order = new() { Id = "a" };
            long start = Stopwatch.GetTimestamp();
            for (int i = 0; i < Calls; i++)
            {
                handler.HandleAsync(order, default, CancellationToken.None).GetAwaiter().GetResult();
            }

            return Stopwatch.GetElapsedTime(start).TotalNanoseconds / Calls;
        }
    }

    private static void Publish(ChannelPublisher publisher)
    {
        long target = publisher.Completed + Messages;
        SpinWait wait = default;
        for (int i = 0; i < Messages; i++)
        {
            // Waiting for capacity would allocate in the publisher.
            while (publisher.Unsettled > 500)
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

    private sealed class CompletingHandler : IMessageHandler<Order>
    {
        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken) => new(Settlement.Complete);
    }

    private sealed class CompletingBatchHandler : IBatchHandler<Order>
    {
        public ValueTask HandleAsync(MessageBatch<Order> batch, CancellationToken cancellationToken)
        {
            batch.SettleRest(Settlement.Complete);
            return default;
        }
    }
}
