using System.Runtime.CompilerServices;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Frames;
using Pipeline.Settlements;

namespace Messaging.Recoverability;

/// <summary>
/// Repeats the rest of the chain after a <see cref="TransientFaultException"/>, with full jitter. Everything else passes through:
/// poison is never retried in process. Stops when the breaker opens: from then on the intake decides which message tries the sink.
/// What a failed attempt decided about the message does not count.
/// </summary>
internal sealed class RetryBehavior<TContext>(RecoverabilityOptions options, CircuitBreaker breaker, TimeProvider time) : IBehavior<TContext, TContext>
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
        catch (TransientFaultException exception)
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
            catch (TransientFaultException exception) when (attempt < _attempts && exception.RetryInProcess && breaker.State == BreakerState.Closed)
            {
                wait = _backoff.After(attempt, exception.RetryAfter);
                if (wait > _backoff.Cap)
                {
                    throw;
                }
            }

            context.Settlement = default;
            await Task.Delay(wait, time, context.CancellationToken);
        }
    }
}
