using Messaging.Handlers;
using Messaging.Hosting;
using Messaging.Sinks;
using Messaging.Sources;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Routes;

/// <content>The checks at start, and the repeated check of a sink that was unreachable at start.</content>
internal sealed partial class MessageRoute
{
    // Without an answer in this time a check counts as unreachable. The health page is up only after all checks.
    private static readonly TimeSpan CheckLimit = TimeSpan.FromSeconds(10);

    // Short, since requests to an unreachable store cost nothing.
    private static readonly TimeSpan UnreachablePause = TimeSpan.FromSeconds(5);

    // Longer, since a store may charge for each request that it refuses, and an operator has to act first.
    private static readonly TimeSpan RefusedPause = TimeSpan.FromSeconds(30);

    private volatile string? _sinkProblem;

    /// <summary>Why the sink counts as unreachable; null after a successful check or a stored object. From then on the breaker reports it.</summary>
    private string? SinkProblem => _sinkProblem is { } problem && Breaker.Successes == 0 ? problem : null;

    /// <summary>Fails fast when the sink, the handler or a source can never work as configured; continues when one does not answer.</summary>
    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        if (_deadLetters is not null)
        {
            // First, since a sink may write unfinished objects there.
            await CheckAsync("the dead-letter folder", _deadLetters.CheckAsync, cancellationToken);
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
        if (!await TryCheckAsync(name, check, cancellationToken))
        {
            LogUnanswered(Name, name, DurationText.Of(CheckLimit));
        }
    }

    /// <returns>False when the sink did not answer in time.</returns>
    private async Task<bool> CheckSinkAsync(ISink sink, CancellationToken cancellationToken)
    {
        bool ended = await TryCheckAsync(sink.Name, sink.CheckAsync, cancellationToken);
        _sinkProblem = ended ? sink.Problem : $"The sink {sink.Name} did not answer its check within {DurationText.Of(CheckLimit)}.";
        return ended;
    }

    /// <returns>False when the check did not end within <see cref="CheckLimit"/>.</returns>
    private async Task<bool> TryCheckAsync(string name, Func<CancellationToken, Task?> check, CancellationToken cancellationToken)
    {
        using CancellationTokenSource limit = new(CheckLimit, _time);
        await using CancellationTokenRegistration stopping = cancellationToken.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), limit);
        try
        {
            Task checking = check(limit.Token) ?? throw new StartupException($"Route {Name}: the check of {name} returned null instead of a task.", ExitCodes.Software);
            await checking.WaitAsync(limit.Token);
            return true;
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            return false;
        }
    }

    /// <summary>Repeats the check of the sink until it succeeds or an object was stored: without messages, nothing else shows that the sink works.</summary>
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
                // At start this would end the worker; now messages are being received, and the breaker protects them.
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

    [LoggerMessage(1005, LogLevel.Warning, "Route {Route}: {Name} did not answer the check at start within {Limit}; the worker starts anyway and keeps trying")]
    private partial void LogUnanswered(string route, string name, string limit);

    [LoggerMessage(1006, LogLevel.Warning, "Route {Route}: {Problem} The worker is not ready until dead letters can be written; it keeps messages until then")]
    private partial void LogDeadLettersProblem(string route, string problem);

    [LoggerMessage(1007, LogLevel.Information, "Route {Route}: the sink {Sink}, which could not be reached at start, is reachable now")]
    private partial void LogSinkReached(string route, string sink);

    [LoggerMessage(1008, LogLevel.Error, "Route {Route}: {Problem} The worker is not ready until this is fixed; it checks the sink again every {Pause}")]
    private partial void LogSinkRefused(string route, string problem, string pause);
}
