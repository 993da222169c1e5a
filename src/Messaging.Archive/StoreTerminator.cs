using System.Runtime.CompilerServices;
using Messaging.Recoverability;
using Messaging.Sinks;
using Messaging.Telemetry;
using Pipeline.Behaviors;
using Pipeline.Frames;
using Pipeline.Settlements;

namespace Messaging.Archive;

/// <summary>Stores the object, and completes the message only when the sink has stored it. It reports the sink's result to the breaker.</summary>
internal sealed class StoreTerminator(IObjectSink sink, CircuitBreaker breaker, RouteMetrics metrics) : ITerminator<ArchiveContext>
{
    public const string CollisionReason = "key-collision";
    public const string RejectedReason = "sink-rejected";

    public ValueTask InvokeAsync(ArchiveContext context)
    {
        long started = RouteMetrics.StoreStarts();
        ValueTask<SinkResult> storing = sink.StoreAsync(context.Key, context.Body, context.CancellationToken);
        if (!storing.IsCompletedSuccessfully)
        {
            return AwaitAsync(storing, context, started);
        }

        metrics.StoreEnded(started);
        Conclude(context, storing.Result);
        return default;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask AwaitAsync(ValueTask<SinkResult> storing, ArchiveContext context, long started)
    {
        SinkResult result = await storing;
        metrics.StoreEnded(started);
        Conclude(context, result);
    }

    private void Conclude(ArchiveContext context, in SinkResult result)
    {
        if (!result.IsShared)
        {
            ReportToBreaker(result);
        }

        switch (result.Status)
        {
            case SinkStatus.Stored:
                context.Settlement = Settlement.Complete;
                return;
            case SinkStatus.AlreadyStored:
                metrics.MessageDuplicate();
                context.Settlement = Settlement.Complete;
                return;
            case SinkStatus.Collision:
                context.Settlement = Settlement.DeadLetter(CollisionReason, $"The key {UntrustedText.Shorten(context.Key.Span)} is already in use. {result.Detail ?? "The object with this key holds other bytes."}");
                return;
            case SinkStatus.Rejected:
                context.Settlement = Settlement.DeadLetter(RejectedReason, result.Detail ?? $"The {sink.Name} sink rejects the object.");
                return;
            case SinkStatus.Refused:
                context.Settlement = Settlement.Refused(result.Detail ?? $"The {sink.Name} sink denies the worker access.");
                return;
            case SinkStatus.Transient:
                context.Settlement = Settlement.Transient(result.Detail ?? $"The {sink.Name} sink failed.", result.RetryAfter, retryInProcess: !result.Exhausted);
                return;
            default:
                context.Settlement = Settlement.Undecided($"The sink {sink.Name} returned the status {result.Status}, which decides nothing: StoreAsync must return SinkResult.Stored only for a stored object, and otherwise what failed.");
                return;
        }
    }

    private void ReportToBreaker(in SinkResult result)
    {
        switch (result.Status)
        {
            case SinkStatus.Refused:
                breaker.Refused(result.Detail ?? sink.Name);
                return;
            case SinkStatus.Transient:
                breaker.Failed(result.Detail ?? sink.Name);
                return;
            case SinkStatus.Stored or SinkStatus.AlreadyStored or SinkStatus.Collision or SinkStatus.Rejected:
                breaker.Succeeded();
                return;
        }
    }
}
