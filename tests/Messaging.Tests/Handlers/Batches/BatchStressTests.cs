using System.Collections.Concurrent;
using Messaging.Tests.Handlers.Typed;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Batches;

/// <summary>A handler that misuses its batch randomly from many threads: each message still has exactly one settlement, the correct one.</summary>
public sealed class BatchStressTests
{
    private const int Messages = 300;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Handle_AtRandom_EveryMessageEndsAsItWasFirstSettled(int seed)
    {
        ChaoticHandler handler = new(seed);
        await using HandlerRoute route = await HandlerRoute.StartAsync(
            worker => worker.With(services => services.AddSingleton(handler)).AddBatchHandler<Order, ChaoticHandler>("Orders", TestJson.Default.Order),
            "Handlers:Orders:MaxMessages=7", "Handlers:Orders:MaxAge=200ms", "Intake:MessageTimeout=20s", "Recoverability:MaxDeliveries=1000");

        Task publishing = Task.Run(async () =>
        {
            for (int i = 0; i < Messages; i++)
            {
                await route.PublishAsync(BatchCollectionTests.BodyOf($"{i}"));
            }
        }, TestContext.Current.CancellationToken);
        await route.PassUntilAsync(() => publishing.IsCompleted && route.Publisher.Unsettled == 0);
        await publishing;

        string[] dead = [.. route.DeadLetters.Messages.Select(letter => System.Text.Encoding.UTF8.GetString(letter.Body))];
        dead.Order().ShouldBe(handler.DeadLettered.Select(BatchCollectionTests.BodyOf).Order());
        handler.Completed.Count.ShouldBe(handler.Completed.Distinct().Count(), "no message is handled again after it was completed");
        route.Publisher.Completed.ShouldBe(handler.Completed.Count);
        (route.Publisher.Completed + dead.Length).ShouldBe(Messages);

        // The last settlement is counted before its message leaves the route.
        await HandlerRoute.UntilAsync(() => route.Route.InFlight == 0);
    }

    private sealed class ChaoticHandler(int seed) : IBatchHandler<Order>
    {
        private readonly Lock _gate = new();
        private readonly Random _random = new(seed);

        public ConcurrentQueue<string> Completed { get; } = new();

        public ConcurrentQueue<string> DeadLettered { get; } = new();

        public async ValueTask HandleAsync(MessageBatch<Order> batch, CancellationToken cancellationToken)
        {
            if (Next(2) == 0)
            {
                await Task.Yield();
            }

            for (int i = 0; i < batch.Count; i++)
            {
                switch (Next(6))
                {
                    case 0:
                        continue;
                    case 1:
                        batch.Settle(i, default);
                        continue;
                    case 2:
                        batch.Settle(i, Settlement.Abandon(TimeSpan.FromMilliseconds(Next(300))));
                        break;
                    case 3:
                        DeadLettered.Enqueue(batch[i].Id);
                        batch.Settle(i, Settlement.DeadLetter("random", "x"));
                        break;
                    default:
                        Completed.Enqueue(batch[i].Id);
                        batch.Settle(i, Settlement.Complete);
                        break;
                }

                batch.Settle(i, Settlement.DeadLetter("twice", "x"));
            }

            switch (Next(20))
            {
                case 0:
                    throw new InvalidOperationException("random");
                case 1:
                    await Task.Delay(Timeout.Infinite, cancellationToken);
                    break;
            }
        }

        private int Next(int below)
        {
            lock (_gate)
            {
                return _random.Next(below);
            }
        }
    }
}
