using System.Diagnostics;
using Messaging.Tests.Telemetry;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

/// <summary>An intake over a chain of one terminator, with a test clock. Disposing it asserts that no slot was lost.</summary>
internal sealed class IntakeFixture : IAsyncDisposable
{
    public IntakeFixture(
        Func<MessageContext, ValueTask>? handler = null, int concurrency = 4, long bytesInFlight = 1 << 20, PipelineForm? form = null, int? start = null,
        long maxMessageBytes = long.MaxValue)
    {
        Breaker = new CircuitBreaker("test", Recoverability, Time, Logger);
        IPipeline<MessageContext> pipeline = new PipelineBuilder<MessageContext>("test")
            .Terminator(new DelegateTerminator(handler ?? CompleteAsync))
            .Build(form ?? PipelineForm.Fused);
        Options = new IntakeOptions { Concurrency = concurrency, BytesInFlight = bytesInFlight };
        RecoverabilityPolicy policy = new(Recoverability);
        IntakeReports reports = new("test", "source", pipeline, policy, Metrics, Time, Logger);
        SlotRange slots = start is { } first ? new SlotRange(first, concurrency, Min: 1) : new SlotRange(concurrency, concurrency, concurrency);
        Intake = new MessageIntake(pipeline, Options, policy, Breaker, reports, Time, slots)
        {
            Destination = new MessageDestination("source", "test"),
            MaxMessageBytes = maxMessageBytes,
        };
    }

    public ManualTimeProvider Time { get; } = new();

    public RecordingLogger Logger { get; } = new();

    public RecoverabilityOptions Recoverability { get; } = new() { BreakerFailures = 3, MaxDeliveries = 5 };

    public RouteMetrics Metrics { get; } = new("test");

    public IntakeOptions Options { get; }

    public CircuitBreaker Breaker { get; }

    public MessageIntake Intake { get; }

    /// <summary>An intake with the system's clock and a fixed number of slots.</summary>
    public static MessageIntake Open(
        string route, string source, IPipeline<MessageContext> pipeline, RecoverabilityOptions recoverability, CircuitBreaker breaker, int concurrency,
        RouteMetrics? metrics = null)
    {
        RecoverabilityPolicy policy = new(recoverability);
        IntakeReports reports = new(route, source, pipeline, policy, metrics ?? new RouteMetrics(route), TimeProvider.System, NullLogger.Instance);
        SlotRange slots = new(concurrency, concurrency, concurrency);
        return new MessageIntake(pipeline, new IntakeOptions(), policy, breaker, reports, TimeProvider.System, slots)
        { Destination = new MessageDestination(source, route) };
    }

    public static ValueTask CompleteAsync(MessageContext context)
    {
        context.Settlement = Settlement.Complete;
        return default;
    }

    /// <summary>Reserves a slot, which must be free, and accepts the message.</summary>
    public TestMessage Accept(TestMessage? message = null)
    {
        message ??= new TestMessage();
        Reserve(1);
        Intake.Accept(message);
        return message;
    }

    /// <summary>Accepts a message and waits for its settlement.</summary>
    public async Task<Settlement> RunAsync(TestMessage? message = null) => await Accept(message).Settled;

    /// <summary>Accepts messages one after another, each when the slot of the one before is free again.</summary>
    public async Task RunManyAsync(int messages)
    {
        int before = Intake.InFlight;
        for (int i = 0; i < messages; i++)
        {
            await RunAsync();
            long start = Stopwatch.GetTimestamp();
            while (Intake.InFlight > before)
            {
                Stopwatch.GetElapsedTime(start).ShouldBeLessThan(TestMessage.WaitLimit, "the slot stays in use");
                await Task.Yield();
            }
        }
    }

    /// <summary>Reserves that many slots, which must be granted synchronously.</summary>
    public void Reserve(int slots)
    {
        ValueTask<int> granted = Intake.ReserveSlotsAsync(slots, slots, CancellationToken.None);
        granted.IsCompletedSuccessfully.ShouldBeTrue("the slots must be free");
        granted.Result.ShouldBe(slots);
    }

    /// <summary>The number of slots that can be reserved now.</summary>
    public int CountFreeSlots()
    {
        int free = 0;
        while (Intake.TryReserve() == IntakeAnswer.Reserved)
        {
            free++;
        }

        Intake.Release(free);
        return free;
    }

    /// <summary>Opens the breaker with the fixture's number of failures.</summary>
    public void OpenBreaker()
    {
        for (int i = 0; i < Recoverability.BreakerFailures; i++)
        {
            Breaker.Failed("down");
        }

        Breaker.State.ShouldBe(BreakerState.Open);
    }

    public void InFlightShouldBe(int messages, long bytes)
    {
        Intake.InFlight.ShouldBe(messages);
        Intake.BytesInFlight.ShouldBe(bytes);
    }

    public Task DrainAsync() => Intake.DrainAsync(CancellationToken.None).WaitAsync(TestMessage.WaitLimit);

    public async ValueTask DisposeAsync()
    {
        await DrainAsync();
        Intake.InFlight.ShouldBe(0);
        Intake.BytesInFlight.ShouldBe(0);
        if (Breaker.State == BreakerState.Closed)
        {
            int all = Intake.Limit;
            Reserve(all);
            Intake.Release(all);
        }

        await Intake.DisposeAsync();
    }
}
