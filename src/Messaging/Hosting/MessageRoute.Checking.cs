using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Hosting;

/// <content>The checks at start, and the worker's own checks of a sink that fails. The rules of readiness are in docs/reference/operating.md.</content>
internal sealed partial class MessageRoute
{
    // Without an answer in this time a check counts as unreachable. The health page is up only after all checks.
    private static readonly TimeSpan CheckLimit = TimeSpan.FromSeconds(10);

    // The first pause between two checks; it doubles with each check that fails.
    private static readonly TimeSpan ShortestPause = TimeSpan.FromSeconds(5);

    // The longest, and the pause after a refusal: a store may charge for each request, and an operator has to act first.
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(30);

    // Wakes the checks; a full channel holds a wake-up that has not been read.
    private readonly Channel<bool> _checkNeeded = Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });

    // Why the last check of the sink failed, beside what the sink itself reports; null after one that ended.
    private volatile string? _checkProblem;

    // Each check that ignores its cancellation keeps a thread or a connection: with so many, no other one begins until one has ended.
    private const int MaxUnanswered = 8;

    private readonly LogThrottle _deadLettersLog;

    // Checks of the sink that still run beyond the limit. There is one check at a time.
    private readonly List<Task> _unanswered = [];

    /// <summary>
    /// Why the sink cannot be used: a check that failed, until one succeeds or an object is stored, from when on the breaker reports it; and what the sink
    /// itself reports, for as long as it does.
    /// </summary>
    private string? SinkProblem => (Breaker.Successes == 0 ? _checkProblem : null) ?? OwnSinkProblem;

    private string? OwnSinkProblem
    {
        get
        {
            string? problem = SourceRunner.Ask($"The sink {_sinkName}", () => _sink?.Problem);
            if (problem is not null)
            {
                // No event marks that the sink begins to report it: who sees it wakes the check that may end it.
                _checkNeeded.Writer.TryWrite(true);
            }

            return problem;
        }
    }

    /// <summary>Fails fast when the sink, the handler or a source can never work as configured; continues when one does not answer.</summary>
    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        if (_deadLetters is not null)
        {
            // First, since a sink may write unfinished objects there.
            await CheckAsync("the dead-letter folder", _deadLetters.CheckAsync, cancellationToken);
            if (_deadLetters.Problem is { } problem)
            {
                ReportDeadLetters(problem);
            }
        }

        if (_sink is not null)
        {
            await CheckSinkAtStartAsync(_sink, cancellationToken);
        }

        foreach (RouteCheck check in _checks)
        {
            await CheckAsync(check.Name, check.CheckAsync, cancellationToken);
        }

        foreach (SourceRunner inlet in _inlets)
        {
            await CheckSourceAsync(inlet, cancellationToken);
        }
    }

    private async Task CheckSinkAtStartAsync(ISink sink, CancellationToken cancellationToken)
    {
        try
        {
            if (!await CheckSinkAsync(sink, cancellationToken))
            {
                LogUnanswered(Name, _sinkName!, DurationText.Of(CheckLimit));
            }
        }
        catch (Exception exception) when (exception is not StartupException && !cancellationToken.IsCancellationRequested)
        {
            // Only a StartupException says that the sink can never work: a store that is down must not end the worker's other routes.
            ReportCheckFailure(ProblemOf(exception));
        }
    }

    private async Task CheckSourceAsync(SourceRunner inlet, CancellationToken cancellationToken)
    {
        try
        {
            await CheckAsync(inlet.Plan.Name, inlet.Source.CheckAsync, cancellationToken);
        }
        catch (Exception exception) when (exception is not StartupException && !cancellationToken.IsCancellationRequested)
        {
            // The source decides when it receives: if that fails too, the route is not ready.
            LogSourceCheckFailed(Name, inlet.Plan.Name, UntrustedText.Shorten(Describe(exception)));
        }
    }

    private async Task CheckAsync(string name, Func<CancellationToken, Task> check, CancellationToken cancellationToken)
    {
        if (await TryCheckAsync(name, check, cancellationToken) is not null)
        {
            LogUnanswered(Name, name, DurationText.Of(CheckLimit));
        }
    }

    /// <returns>False when the sink did not answer in time.</returns>
    private async Task<bool> CheckSinkAsync(ISink sink, CancellationToken cancellationToken)
    {
        _unanswered.RemoveAll(static check => check.IsCompleted);
        bool ended = false;
        if (_unanswered.Count < MaxUnanswered)
        {
            Task? unanswered = await TryCheckAsync(_sinkName!, sink.CheckAsync, cancellationToken);
            ended = unanswered is null;
            _unanswered.AddRange(unanswered is null ? [] : [unanswered]);
        }

        _checkProblem = ended ? null : $"The sink {_sinkName} did not answer its check within {DurationText.Of(CheckLimit)}.";
        return ended;
    }

    /// <returns>Null when the check has ended; the check when it did not end within <see cref="CheckLimit"/>.</returns>
    private async Task<Task?> TryCheckAsync(string name, Func<CancellationToken, Task?> check, CancellationToken cancellationToken)
    {
        using CancellationTokenSource limit = new(CheckLimit, _time);
        await using CancellationTokenRegistration stopping =
            cancellationToken.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), limit);

        // On another thread: foreign code may block.
        Task checking = Task.Run(
            () => check(limit.Token) ?? throw new StartupException($"Route {Name}: the check of {name} returned null instead of a task.", ExitCodes.Software),
            CancellationToken.None);
        try
        {
            await checking.WaitAsync(limit.Token);
            return null;
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
#pragma warning disable MA0100 // It did not end within the limit, and is only counted from here on
            return checking;
#pragma warning restore MA0100
        }
    }

    /// <summary>
    /// Checks the sink while it counts as failed: after a check at start that failed, while it reports a problem, and while the breaker is open. Without
    /// messages, nothing else shows that it works again; and what only a check finds, messages do not end.
    /// </summary>
    private async Task KeepCheckingSinkAsync()
    {
        TimeSpan pause = ShortestPause;
        while (!_stopReceiving.IsCancellationRequested)
        {
            bool hadProblem = SinkProblem is not null;
            if (!hadProblem && Breaker.CheckIn is null)
            {
                pause = TimeSpan.Zero;
                Task needed = _checkNeeded.Reader.ReadAsync(_stopReceiving.Token).AsTask();
                await needed.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                await DecideDoubtAsync();
                continue;
            }

            TimeSpan due = Breaker.CheckIn ?? TimeSpan.Zero;
            TimeSpan wait = due > pause ? due : pause;

            // Rounded up: timers truncate to milliseconds, and the rest of one would be waited for in a loop without a pause.
            await Task
                .Delay(TimeSpan.FromMilliseconds(Math.Ceiling(wait.TotalMilliseconds)), _time, _stopReceiving.Token)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stopReceiving.IsCancellationRequested)
            {
                return;
            }

            // A message may have shown meanwhile that the sink works, or fails.
            if (SinkProblem is not null || Breaker.CheckIn == TimeSpan.Zero)
            {
                TimeSpan next = await CheckSinkAgainAsync();
                pause = next > TimeSpan.Zero ? TimeSpan.FromTicks(Math.Clamp(2 * pause.Ticks, next.Ticks, LongestPause.Ticks)) : ShortestPause;
            }

            if (hadProblem && SinkProblem is null)
            {
                LogSinkReached(Name, _sinkName!);
            }
        }
    }

    /// <summary>
    /// After a message that failed while the breaker is closed: with few messages it would take long to open, or for ever if no more come. A
    /// check of the sink that fails too shows an outage. Likewise after a minute without a message that was stored.
    /// </summary>
    private async Task DecideDoubtAsync()
    {
        if (_sink is null || !Breaker.HasRecentFailure)
        {
            return;
        }

        // A message that succeeds meanwhile makes the check unnecessary.
        await Task.Delay(ShortestPause, _time, _stopReceiving.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (_stopReceiving.IsCancellationRequested || !Breaker.HasRecentFailure)
        {
            return;
        }

        try
        {
            await CheckSinkAsync(_sink, _stopReceiving.Token);
        }
        catch (Exception) when (_stopReceiving.IsCancellationRequested)
        {
            return;
        }
        catch (Exception exception)
        {
            ReportCheckFailure(ProblemOf(exception));
        }

        if ((_checkProblem ?? OwnSinkProblem) is { } problem)
        {
            Breaker.CheckFailed(problem);
        }
    }

    /// <returns>The shortest pause before the next check; zero when the sink works.</returns>
    private async Task<TimeSpan> CheckSinkAgainAsync()
    {
        try
        {
            if (_sink is not null)
            {
                await CheckSinkAsync(_sink, _stopReceiving.Token);
                if ((_checkProblem ?? OwnSinkProblem) is not null)
                {
                    return ShortestPause;
                }
            }

            if (Breaker.CheckSucceeded())
            {
                LogSinkAnswers(Name, Breaker.Part);
            }

            return TimeSpan.Zero;
        }
        catch (Exception) when (_stopReceiving.IsCancellationRequested)
        {
            return LongestPause;
        }
        catch (Exception exception)
        {
            // At start a StartupException would end the worker; now messages are being received, and the breaker protects them.
            ReportCheckFailure(ProblemOf(exception));
            return LongestPause;
        }
    }

    private string ProblemOf(Exception exception) =>
        exception is StartupException ? UntrustedText.MessageOf(exception) : $"The check of the sink {_sinkName} threw {Describe(exception)}";

    private void ReportCheckFailure(string problem)
    {
        if (_checkProblem != problem)
        {
            _checkProblem = problem;
            LogSinkRefused(Name, problem, DurationText.Of(LongestPause));
        }
    }

    private static string Describe(Exception exception)
    {
        string message = UntrustedText.MessageOf(exception);
        return $"{exception.GetType()}: {message}{(message.EndsWith('.') ? string.Empty : ".")}";
    }

    /// <summary>Dead letters cannot be written from now on; several messages may find it at once.</summary>
    private void ReportDeadLetters(string problem)
    {
        if (_deadLettersLog.ShouldLog(out SuppressedLines suppressed))
        {
            SafeLog.Try(() => LogDeadLettersProblem(Name, problem, suppressed));
        }
    }

    [LoggerMessage(1005, LogLevel.Warning, "Route {Route}: {Name} did not answer the check at start within {Limit}; the worker starts anyway and keeps trying")]
    private partial void LogUnanswered(string route, string name, string limit);

    [LoggerMessage(
        1006, LogLevel.Warning,
        "Route {Route}: {Problem} The worker is not ready until dead letters can be written; it keeps messages until then{Suppressed}")]
    private partial void LogDeadLettersProblem(string route, string problem, SuppressedLines suppressed);

    [LoggerMessage(1007, LogLevel.Information, "Route {Route}: the check of the sink {Sink}, which had failed, succeeds")]
    private partial void LogSinkReached(string route, string sink);

    [LoggerMessage(1013, LogLevel.Information, "Route {Route}: the next message decides whether the {Part} works again; the route is ready for it")]
    private partial void LogSinkAnswers(string route, string part);

    [LoggerMessage(
        1015, LogLevel.Warning,
        "Route {Route}: the check of the source {Source} at start threw {Problem} The worker starts anyway; "
            + "if the source cannot receive, the route is not ready")]
    private partial void LogSourceCheckFailed(string route, string source, string problem);

    [LoggerMessage(1008, LogLevel.Error, "Route {Route}: {Problem} The worker is not ready until this is fixed; it checks the sink again every {Pause}")]
    private partial void LogSinkRefused(string route, string problem, string pause);
}
