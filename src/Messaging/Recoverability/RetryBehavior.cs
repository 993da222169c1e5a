using System.Runtime.CompilerServices;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Frames;
using Pipeline.Settlements;

namespace Messaging.Recoverability;

/// <summary>
/// Repeats the rest of the chain after a <see cref="TransientFaultException"/>, with full jitter. Everything else passes through unless the part is told otherwise:
/// poison is never retried in process. Stops when the breaker opens: from then on the intake decides which message tries the sink.
/// What a failed attempt decided about the message does not count.
/// </summary>
/// <param name="options">How often, and how long to wait.</param>
/// <param name="breaker">The route's breaker.</param>
/// <param name="time">The clock; tests drive it.</param>
/// <param name="retriesUnknown">
/// True around foreign code, whose exceptions may be transient faults too: all but poison, refusals and the end of the message's
/// own token are repeated.
/// </param>
internal sealed class RetryBehavior<TContext>(RecoverabilityOptions options, CircuitBreaker breaker, TimeProvider time, bool retriesUnknown = false) : IBehavior<TContext, TContext>
    where TContext : PipelineContext
{
    private readonly int _attempts = options.Attempts;
    private readonly Backoff _backoff = options.Backoff;

    public ValueTask InvokeAsync(TContext context, Next<TContext> next)
    {
        ValueTask rest;
        try
        {
            rest = next.InvokeAsync(context);
        }
        catch (Exception exception) when (MayPass(exception, context))
        {
            rest = ValueTask.FromException(exception);
        }

        if (!rest.IsCompletedSuccessfully)
        {
            return AwaitAsync(rest, context, next);
        }

        rest.GetAwaiter().GetResult();
        return default;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask AwaitAsync(ValueTask rest, TContext context, Next<TContext> next)
    {
        for (int attempt = 1; ; attempt++)
        {
            TimeSpan wait;
            try
            {
                if (attempt > 1)
                {
                    // Within the try: a transient fault may also be thrown by the call itself.
                    rest = next.InvokeAsync(context);
                }

                await rest;
                return;
            }
            catch (Exception exception) when (attempt < _attempts && MayPass(exception, context) && breaker.State == BreakerState.Closed)
            {
                wait = _backoff.After(attempt, exception is TransientFaultException transient ? transient.RetryAfter : TimeSpan.Zero);
                if (wait > _backoff.Cap)
                {
                    throw;
                }
            }

            context.Settlement = default;
            await Task.Delay(wait, time, context.CancellationToken);
        }
    }

    private bool MayPass(Exception exception, TContext context) => exception switch
    {
        TransientFaultException transient => transient.RetryInProcess,
        PoisonMessageException or RefusedException => false,
        _ => retriesUnknown && !context.CancellationToken.IsCancellationRequested,
    };
}
