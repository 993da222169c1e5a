using Messaging.Tests.Sinks.Bundles;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Archive;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Archive;

/// <summary>How an outcome that several messages share counts for the breaker.</summary>
public sealed class StoreTerminatorTests
{
    private readonly ScriptedSink _sink = new();
    private readonly CircuitBreaker _breaker = new("test", new RecoverabilityOptions { BreakerFailures = 3 }, TimeProvider.System, NullLogger.Instance);

    [Fact]
    public async Task Invoke_FailureSharedWithAnotherMessage_DoesNotCountForTheBreaker()
    {
        SinkResult failure = new(SinkStatus.Transient, "down", Exhausted: true);

        await FailAsync(failure);
        for (int i = 0; i < 10; i++)
        {
            (await FailAsync(failure with { IsShared = true })).RetryInProcess.ShouldBeFalse();
        }

        _breaker.State.ShouldBe(BreakerState.Closed);
        await FailAsync(failure);
        await FailAsync(failure);
        _breaker.State.ShouldBe(BreakerState.Open);
    }

    [Fact]
    public async Task Invoke_SharedSuccess_CompletesTheMessage()
    {
        _sink.Rule = static _ => SinkResult.Stored with { IsShared = true };
        ArchiveContext context = new();

        await Terminator().InvokeAsync(context);

        context.Settlement.ShouldBe(Settlement.Complete);
    }

    [Theory]
    [InlineData(default(SinkStatus))]
    [InlineData((SinkStatus)42)]
    [InlineData((SinkStatus)(-1))]
    public async Task Invoke_StatusThatDecidesNothing_IsTheSinksFault(SinkStatus status)
    {
        SinkResult failure = new(SinkStatus.Transient, "down");
        await FailAsync(failure);
        await FailAsync(failure);
        _sink.Rule = _ => new SinkResult(status);
        ArchiveContext context = new();

        await Terminator().InvokeAsync(context);

        context.Settlement.Fault.ShouldBe(SettlementFault.Transient);
        context.Settlement.Description.ShouldBe(
            $"The sink scripted returned the status {status}, which decides nothing: "
                + "StoreAsync must return SinkResult.Stored only for a stored object, and otherwise what failed.");
        _breaker.Successes.ShouldBe(0);
        _breaker.State.ShouldBe(BreakerState.Open);
    }

    private async Task<Settlement> FailAsync(SinkResult result)
    {
        _sink.Rule = _ => result;
        ArchiveContext context = new();
        await Terminator().InvokeAsync(context);
        context.Settlement.Fault.ShouldBe(SettlementFault.Transient);
        return context.Settlement;
    }

    private StoreTerminator Terminator() => new(_sink, new ObjectStore(_sink, "scripted", _breaker, new RouteMetrics("test")));
}
