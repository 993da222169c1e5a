using Messaging.Tests.Handlers.Typed;
using Messaging.Tests.Intake;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Batches;

/// <summary>The task of each message of a batch, without a route.</summary>
public sealed class BatchCollectorTests
{
    [Fact]
    public async Task Join_ResultIsReadEarly_ThrowsAndEachMessageHasItsOwnSettlement()
    {
        TaskCompletionSource endFirst = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource endSecond = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Settlement poison = Settlement.DeadLetter("no-such-customer", "x");
        ScriptedBatchHandler handler = new(async (batch, _) =>
        {
            bool isFirst = batch[0].Id == "first";
            await (isFirst ? endFirst : endSecond).Task;
            batch.SettleRest(isFirst ? poison : Settlement.Complete);
        });
        await using ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        using BatchCollector<Order> collector = Create(handler, none);
        MessageContext firstContext = new() { Message = new TestMessage() };
        MessageContext secondContext = new() { Message = new TestMessage() };
        ValueTask early = collector.JoinAsync(firstContext, new Order { Id = "first" });

        Should.Throw<InvalidOperationException>(() => early.GetAwaiter().GetResult());
        Task first = early.AsTask();
        Task second = collector.JoinAsync(secondContext, new Order { Id = "second" }).AsTask();

        endFirst.SetResult();
        await first.WaitAsync(TestMessage.WaitLimit);
        second.IsCompleted.ShouldBeFalse();
        endSecond.SetResult();
        await second.WaitAsync(TestMessage.WaitLimit);
        firstContext.Settlement.ShouldBe(poison);
        secondContext.Settlement.ShouldBe(Settlement.Complete);
    }

    private static BatchCollector<Order> Create(ScriptedBatchHandler handler, IServiceProvider none)
    {
        ManualTimeProvider time = new();
        RecoverabilityOptions recoverability = new();
        CircuitBreaker breaker = new("orders", recoverability, time, NullLogger.Instance);
        HandlerServices services = new()
        {
            Route = "orders",
            Sink = null,
            Circuit = breaker,
            Recoverability = recoverability,
            Metrics = new RouteMetrics("orders"),
            Calls = new ApiCalls(),
            Services = none,
            DeadLetters = new MemoryDeadLetters(),
            Time = time,
            Concurrency = 4,
        };
        return new BatchCollector<Order>(handler, new BatchOptions { MaxMessages = 1 }, services, services.ReportsOf(typeof(ScriptedBatchHandler)));
    }
}
