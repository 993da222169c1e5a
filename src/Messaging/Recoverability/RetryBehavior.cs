using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Frames;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Recoverability;

/// <summary>
/// Retries the rest of the pipeline in process after <see cref="Settlement.Transient"/> or its exception, with full jitter. Does not catch other
/// exceptions unless <c>retriesUnknown</c> is set, and never retries poison. Stops when the breaker opens: then the intake chooses the message
/// that probes the sink. Discards the settlement of a failed attempt. A handler adds it in its plan's <c>Compose</c>, before the part that stores.
/// </summary>
/// <param name="options">The number of attempts and the waits between them.</param>
/// <param name="breaker">The route's breaker.</param>
/// <param name="time">The clock; tests drive it.</param>
/// <param name="retriesUnknown">
/// True around foreign code, whose exceptions may be transient faults: retries every exception except poison, refusals, those of
/// <c>Recoverability:DeadLetterOn</c>,
/// and those after the message's token was cancelled.
/// </param>
/// <typeparam name="TContext">The context of the stage it is added to.</typeparam>
internal sealed class RetryBehavior<TContext>(
    RecoverabilityOptions options, CircuitBreaker breaker, TimeProvider time, bool retriesUnknown = false) : IBehavior<TContext, TContext>
    where TContext : PipelineContext
{
    private readonly int _attempts = options.Attempts;
    private readonly Backoff _backoff = options.Backoff;
    private readonly ExceptionRules _rules = options.Rules;

    /// <inheritdoc/>
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
        return context.Settlement.RetryInProcess ? AwaitAsync(default, context, next) : default;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask AwaitAsync(ValueTask rest, TContext context, Next<TContext> next)
    {
        for (int attempt = 1; ; attempt++)
        {
            TimeSpan wait;
            Exception? thrown = null;
            try
            {
                if (attempt > 1)
                {
                    // Within the try, because the call itself may throw a transient fault.
                    rest = next.InvokeAsync(context);
                }

                await rest;
                if (!context.Settlement.RetryInProcess || !MayRetry(attempt, context.Settlement.Delay, out wait))
                {
                    return;
                }
            }
            catch (Exception exception) when (MayPass(exception, context)
                && MayRetry(attempt, (exception as TransientException)?.RetryAfter ?? TimeSpan.Zero, out wait))
            {
                thrown = exception;
            }

            await Task.Delay(wait, time, context.CancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (context.CancellationToken.IsCancellationRequested)
            {
                // The last fault decides the settlement, not the cancelled wait.
                if (thrown is not null)
                {
                    ExceptionDispatchInfo.Throw(thrown);
                }

                return;
            }

            context.Settlement = default;
        }
    }

    private bool MayRetry(int attempt, TimeSpan retryAfter, out TimeSpan wait)
    {
        wait = _backoff.After(attempt, retryAfter);
        return attempt < _attempts && wait <= _backoff.Cap && breaker.State == BreakerState.Closed;
    }

    private bool MayPass(Exception exception, TContext context) => exception switch
    {
        TransientException transient => transient.RetryInProcess,
        DeadLetterException or ServiceRefusedException => false,
        _ when context.CancellationToken.IsCancellationRequested => false,
        _ => _rules.Find(exception) switch
        {
            ExceptionRule.Retry => true,
            ExceptionRule.DeadLetter => false,
            _ => retriesUnknown,
        },
    };
}
