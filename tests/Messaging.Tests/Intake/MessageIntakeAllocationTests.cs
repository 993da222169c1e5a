using System.Diagnostics;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Stages;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;
using Tests.Shared;

namespace Messaging.Tests.Intake;

/// <summary>
/// Bytes per message, from the reservation of its slot to its settlement, through the parts of the physical stage, with a source that reuses its messages.
/// </summary>
[Collection(AllocationCollection.Name)]
public sealed class MessageIntakeAllocationTests
{
    private const int Messages = 1_000;
    private const int Rounds = 80;
    private const int Concurrency = 16;

    [Theory]
    [InlineData("Precompiled")]
    [InlineData("Fused")]
    public async Task AcceptToSettle_SynchronousParts_AllocatesNothing(string form)
    {
        PipelineForm.TryParse(form, out PipelineForm? found).ShouldBeTrue();
        double bytes = await MeasureAsync(found);

        // The process's total, which includes the thread pool's own allocations: below a tenth of a byte per message they do not count.
        bytes.ShouldBeLessThan(0.1);
    }

    [Fact]
    public async Task AcceptToSettle_NoListener_TheSendersSpanIsNotRead()
    {
        // This collection runs alone, so no other test listens.
        MessageSpans.IsListening.ShouldBeFalse();
        long before = ReusedMessage.CreationReads;

        await MeasureAsync(PipelineForm.Fused);

        ReusedMessage.CreationReads.ShouldBe(before);
    }

    [Fact]
    public async Task AcceptToSettle_Closure_IsSeenByTheMeasurement() => (await MeasureAsync(PipelineForm.Closure)).ShouldBeGreaterThan(300);

    [Fact]
    public async Task Reserve_WhileAllSlotsAreTaken_WaitsWithoutGarbage() =>
        (await MeasureWaitingAsync()).ShouldBeLessThan(1);

    private static async Task<double> MeasureWaitingAsync()
    {
        RecoverabilityOptions recoverability = new();
        CircuitBreaker breaker = new("waiting", recoverability, TimeProvider.System, NullLogger.Instance);
        IPipeline<MessageContext> pipeline = new PipelineBuilder<MessageContext>("waiting")
            .Terminator(new StoringTerminator(breaker))
            .Build(PipelineForm.Fused);
        await using MessageIntake intake = IntakeFixture.Open("waiting", "source", pipeline, recoverability, breaker, concurrency: 1);
        long min = await MinBytes.OfProcessAsync(async () => (await WaitAsync(intake, Messages)).ShouldBe(Messages));

        TestContext.Current.TestOutputHelper?.WriteLine($"{(double)min / Messages:F3} B per wait");
        return (double)min / Messages;
    }

    private static async Task<int> WaitAsync(MessageIntake intake, int count)
    {
        using CancellationTokenSource never = new();
        int waits = 0;
        for (int i = 0; i < count; i++)
        {
            SlotLease first = await intake.ReserveAsync(1, 1, never.Token);
            ValueTask<SlotLease> second = intake.ReserveAsync(1, 1, never.Token);
            waits += second.IsCompleted ? 0 : 1;
            first.Dispose();
            (await second).Dispose();
        }

        return waits;
    }

    private static async Task<double> MeasureAsync(PipelineForm form)
    {
        RecoverabilityOptions recoverability = new();
        RouteMetrics metrics = new("allocations");
        CircuitBreaker breaker = new("allocations", recoverability, TimeProvider.System, NullLogger.Instance);
        IPipeline<MessageContext> pipeline = new PipelineBuilder<MessageContext>("allocations")
            .Behavior(new TracingBehavior("allocations"))
            .Behavior(new RetryBehavior<MessageContext>(recoverability, breaker, TimeProvider.System))
            .Terminator(new StoringTerminator(breaker))
            .Build(form);
        await using MessageIntake intake = IntakeFixture.Open("allocations", "source", pipeline, recoverability, breaker, Concurrency, metrics);
        ReusedMessage[] messages = [.. Enumerable.Range(0, Concurrency).Select(_ => new ReusedMessage())];
        long min = MinBytes.OfProcess(() => Run(intake, messages), Rounds);

        metrics.Totals.Stored.ShouldBe(Rounds * Messages);
        TestContext.Current.TestOutputHelper?.WriteLine($"{form}: {(double)min / Messages:F3} B per message");
        return (double)min / Messages;
    }

    private static void Run(MessageIntake intake, ReusedMessage[] messages)
    {
        SpinWait spin = default;
        for (int accepted = 0; accepted < Messages;)
        {
            ReusedMessage message = messages[accepted % messages.Length];
            if (message.IsFree && intake.TryReserve(out SlotLease reserved) == IntakeAnswer.Reserved)
            {
                using SlotLease slot = reserved;
                message.IsFree = false;
                slot.Accept(message);
                accepted++;
            }
            else
            {
                spin.SpinOnce(sleep1Threshold: -1);
            }
        }

        while (intake.InFlight > 0)
        {
            spin.SpinOnce(sleep1Threshold: -1);
        }
    }

    private sealed class ReusedMessage : ReceivedMessage
    {
        private readonly byte[] _bytes = new byte[100];
        private volatile bool _isFree = true;

        public static long CreationReads { get; private set; }

        public bool IsFree
        {
            get => _isFree;
            set => _isFree = value;
        }

        public override ReadOnlyMemory<byte> Body => _bytes;

        public override ReadOnlyMemory<byte> SourceId => _bytes;

        public override ActivityContext CreationContext
        {
            get
            {
                CreationReads++;
                return default;
            }
        }

        protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
        {
            ResetSettlement();
            _isFree = true;
            return default;
        }
    }

    private sealed class StoringTerminator(CircuitBreaker breaker) : ITerminator<MessageContext>
    {
        public ValueTask InvokeAsync(MessageContext context)
        {
            breaker.Succeeded();
            context.Settlement = Settlement.Complete;
            return default;
        }
    }
}
