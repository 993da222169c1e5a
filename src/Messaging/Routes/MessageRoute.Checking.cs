using Messaging.Handlers;
using Messaging.Sinks;
using Messaging.Sources;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Routes;

/// <content>The checks at start, and the repeated check of a sink that could not be reached then.</content>
internal sealed partial class MessageRoute
{
    // What does not answer the check at start within this counts as unreachable for now; the health page is up only afterwards.
    private static readonly TimeSpan CheckLimit = TimeSpan.FromSeconds(10);

    // Requests that reach no store cost nothing.
    private static readonly TimeSpan UnreachablePause = TimeSpan.FromSeconds(5);

    // A store that answers may charge for it, and an operator has to act first.
    private static readonly TimeSpan RefusedPause = TimeSpan.FromSeconds(30);

    private volatile string? _sinkProblem;

    /// <summary>Why the sink counts as not reached; null once a check was answered or an object was stored. From then on the breaker tells.</summary>
    private string? SinkProblem => _sinkProblem is { } problem && Breaker.Successes == 0 ? problem : null;

    /// <summary>Fails fast when sink, handler or sources can never work as configured; goes on without an answer when there is none.</summary>
    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        if (_deadLetters is not null)
        {
            // First: a sink may find unfinished objects, which go there.
            await CheckAsync("the folder of dead letters", _deadLetters.CheckAsync, cancellationToken);
            if (_deadLetters.Problem is { } problem)
            {
                LogDeadLettersProblem(Name, problem);
            }
        }

        if (_sink is not null && !await CheckSinkAsync(_sink, cancellationToken))
        {
            LogUnanswered(Name, _sink.Name, DurationText.Of(CheckLimit));
        }

        foreach (RouteCheck check in _checks)
        {
            await CheckAsync(check.Name, check.CheckAsync, cancellationToken);
        }

        foreach ((IMessageSource source, _) in _inlets)
        {
            await CheckAsync(source.Name, source.CheckAsync, cancellationToken);
        }
    }

    private async Task CheckAsync(string name, Func<CancellationToken, Task> check, CancellationToken cancellationToken)
    {
        if (!await TryCheckAsync(check, cancellationToken))
        {
            LogUnanswered(Name, name, DurationText.Of(CheckLimit));
        }
    }

    /// <returns>False when the sink did not answer in time.</returns>
    private async Task<bool> CheckSinkAsync(ISink sink, CancellationToken cancellationToken)
    {
        bool ended = await TryCheckAsync(sink.CheckAsync, cancellationToken);
        _sinkProblem = ended ? sink.Problem : $"The sink {sink.Name} did not answer its check within {DurationText.Of(CheckLimit)}.";
        return ended;
    }

    /// <returns>False when the check did not end within <see cref="CheckLimit"/>.</returns>
    private async Task<bool> TryCheckAsync(Func<CancellationToken, Task> check, CancellationToken cancellationToken)
    {
        using CancellationTokenSource limit = new(CheckLimit, _time);
        await using CancellationTokenRegistration stopping = cancellationToken.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), limit);
        try
        {
            await check(limit.Token);
            return true;
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }

    /// <summary>Repeats the check of the sink until it is answered or an object was stored: without a message nothing else would show that the sink works.</summary>
    private async Task CheckSinkAgainAsync(ISink sink)
    {
        TimeSpan pause = UnreachablePause;
        while (SinkProblem is not null)
        {
            await Task.Delay(pause, _time, _stopReceiving.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stopReceiving.IsCancellationRequested)
            {
                return;
            }

            try
            {
                await CheckSinkAsync(sink, _stopReceiving.Token);
                pause = UnreachablePause;
            }
            catch (Exception) when (_stopReceiving.IsCancellationRequested)
            {
                return;
            }
            catch (Exception exception)
            {
                // At the start this would have ended the worker; now messages are being received, and the breaker keeps them.
                if (_sinkProblem != exception.Message)
                {
                    LogSinkRefused(Name, exception.Message, DurationText.Of(RefusedPause));
                }

                _sinkProblem = exception.Message;
                pause = RefusedPause;
            }
        }

        LogSinkReached(Name, sink.Name);
    }

    [LoggerMessage(1005, LogLevel.Warning, "Route {Route}: {Name} did not answer the check at start within {Limit}; the worker starts and goes on trying")]
    private partial void LogUnanswered(string route, string name, string limit);

    [LoggerMessage(1006, LogLevel.Warning, "Route {Route}: {Problem} The worker is not ready until it can; messages are kept meanwhile")]
    private partial void LogDeadLettersProblem(string route, string problem);

    [LoggerMessage(1007, LogLevel.Information, "Route {Route}: the sink {Sink} could not be reached at start, and now can")]
    private partial void LogSinkReached(string route, string sink);

    [LoggerMessage(1008, LogLevel.Error, "Route {Route}: {Problem} The worker is not ready until this is fixed; it checks the sink again every {Pause}")]
    private partial void LogSinkRefused(string route, string problem, string pause);
}
