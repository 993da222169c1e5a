using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Settlements;
using Tests.Shared.CloudFront;

namespace Messaging.Tests.CloudFront;

/// <summary>Sinks that hang, until the object's time limit ends or the message is cancelled.</summary>
public sealed class IndexTerminatorTimeoutTests
{
    private static readonly byte[] Log = AccessLog.CreateCompressed(30);
    private static readonly string Event = Events.Of(Events.Record("a.gz"));

    private readonly Task _never = new TaskCompletionSource().Task;

    [Theory]
    [InlineData(1, true)]
    [InlineData(2, false)]
    public async Task Handle_ObjectTakesTooLong_IsHeldWhileTheSinkHasNotAnswered(int hangingBatch, bool isHeld)
    {
        ManualTimeProvider time = new();
        CloudFrontRun run = new(objectTimeout: TimeSpan.FromMinutes(1), time: time);
        run.Objects.Put("a.gz", Log);
        run.Sink.Gate = hangingBatch == 1 ? _never : null;
        run.Sink.Batch = _ =>
        {
            run.Sink.Gate = _never;
            return SinkStatus.Stored;
        };

        Task<Settlement> handling = run.HandleAsync(Event);
        await run.Sink.AtGate;
        time.Advance(TimeSpan.FromMinutes(1));
        Settlement settlement = await handling;

        // With documents indexed, the log may be too large for the limit.
        (settlement.Fault, settlement.MayHold).ShouldBe((SettlementFault.Transient, isHeld));
        settlement.Description.ShouldNotBeNull().ShouldContain("Handlers:CloudFront:ObjectTimeout");
    }

    [Fact]
    public async Task Handle_MessageIsCancelled_EndsImmediately()
    {
        CloudFrontRun run = new();
        run.Objects.Put("a.gz", Log);
        run.Sink.Gate = _never;
        using CancellationTokenSource cancelled = new();
        Task<Settlement> handling = run.HandleAsync(Event, cancellationToken: cancelled.Token);

        await cancelled.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(() => handling);
    }
}
