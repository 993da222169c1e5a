using Microsoft.Extensions.Logging;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Hosting;

/// <summary>
/// A source of a running route with its intake: runs the receive loop, and tells whether receiving works. A source that has failed counts
/// as failing until it has stayed in <see cref="IMessageSource.ReceiveAsync"/> for <see cref="ProvenAfter"/>; taking a message is no proof,
/// since a source may fail at each. See docs/reference/operating.md. Threads: any; one runs <see cref="ReceiveAsync"/>.
/// </summary>
internal sealed partial class SourceRunner(string route, SourcePlan plan, IMessageSource source, MessageIntake intake, TimeProvider time, ILogger logger)
{
    /// <summary>How long a source receives without failing until receiving has worked; doubles each time it fails again after that.</summary>
    internal static readonly TimeSpan ProvenAfter = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan LongestProof = TimeSpan.FromMinutes(5);

    // A failure this long after the last one starts anew.
    private static readonly TimeSpan ForgottenAfter = TimeSpan.FromMinutes(10);

    // Prevents a hot loop of restarts.
    private static readonly TimeSpan RestartPause = TimeSpan.FromSeconds(5);

    private const long NotReceiving = long.MinValue;

    private readonly ReasonThrottle _failureLog = new(time);
    private volatile Failure? _failure;
    private long _receivingSince = NotReceiving;

    public SourcePlan Plan => plan;

    public IMessageSource Source => source;

    public MessageIntake Intake => intake;

    /// <summary>Why the source cannot receive or settle; null without a problem.</summary>
    public RouteProblem? Problem => ProblemOf(ReceiveProblem, RouteProblem.Fix)
        ?? ProblemOf(HasNotAsked ? NotAsked : null, "Do what it says.")
        ?? ProblemOf(OwnProblem, RouteProblem.Fix)
        ?? intake.Reports.Problem;

    /// <summary>What the source itself reports.</summary>
    public string? OwnProblem => Ask(source.GetType().Name, () => source.Problem);

    /// <summary>What an operator should know although messages still arrive.</summary>
    public IEnumerable<RouteProblem> Warnings => ((RouteProblem?[])[
        RouteProblem.Warning(
            1003, Ask(source.GetType().Name, () => source.Warning), "Do what it says; receiving goes on.", $"Sources:{plan.Name}"),
        .. intake.Reports.Warnings,
    ]).OfType<RouteProblem>();

    private RouteProblem? ProblemOf(string? text, string advice) => RouteProblem.Failure(1003, text, advice, $"Sources:{plan.Name}");

    private string? ReceiveProblem
    {
        get
        {
            if (_failure is not { } failure || IsProven(failure))
            {
                return null;
            }

            string count = failure.InRow == 1 ? string.Empty : $" ({failure.InRow} times in a row)";
            return $"The source {plan.Name} stopped receiving{count}: {failure.Cause}. The worker restarts it every {DurationText.Of(RestartPause)}; the "
                + $"route is ready after {DurationText.Of(failure.Proof)} of receiving without a failure. Event 1003 has the details.";
        }
    }

    private string NotAsked => $"The source {plan.Name} has been started, but has not asked for a slot for {DurationText.Of(ProvenAfter)}: it hangs, or waits "
        + "for something that it does not report. Check what it connects to, then restart the worker.";

    // The contract: slots are reserved before a message is received. Pushed messages, and those in memory, arrive before. What the source itself reports
    // is no guess.
    private bool HasNotAsked => OwnProblem is null && !plan.IsPushed && !plan.HoldsOnlyCopies && !intake.WasAsked && IsReceivingFor(ProvenAfter);

    /// <summary>Receives until the token is cancelled; restarts a source that ends before.</summary>
    public async Task ReceiveAsync(CancellationToken stopReceiving)
    {
        while (!stopReceiving.IsCancellationRequested)
        {
            Exception? failure = null;
            try
            {
                intake.WasAsked = false;
                Volatile.Write(ref _receivingSince, time.GetTimestamp());
                Task receiving = source.ReceiveAsync(intake, stopReceiving) ?? throw new InvalidOperationException("its ReceiveAsync returned no task");
                if (_failure is { } last)
                {
                    await ReportProofAsync(receiving, last.Proof, stopReceiving);
                }

                await receiving;
            }
            catch (OperationCanceledException) when (stopReceiving.IsCancellationRequested)
            {
                return;
            }
            catch (Exception exception)
            {
                failure = exception;
            }

            if (!stopReceiving.IsCancellationRequested)
            {
                Failed(failure);
                await Task.Delay(RestartPause, time, stopReceiving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private async Task ReportProofAsync(Task receiving, TimeSpan proof, CancellationToken stopReceiving)
    {
        using CancellationTokenSource ended = CancellationTokenSource.CreateLinkedTokenSource(stopReceiving);
        await Task.WhenAny(receiving, Task.Delay(proof, time, ended.Token));
        if (!receiving.IsCompleted && !stopReceiving.IsCancellationRequested)
        {
            SafeLog.Try(() => LogReceivesAgain(route, plan.Name));
        }

        await ended.CancelAsync();
    }

    private void Failed(Exception? exception)
    {
        string cause = exception is null
            ? "it returned although the worker is not stopping"
            : $"{exception.GetType().Name}: {UntrustedText.Shorten(UntrustedText.MessageOf(exception)).TrimEnd('.')}";
        TimeSpan proof = ProvenAfter;
        int inRow = 1;
        if (_failure is { } last && time.GetElapsedTime(last.At) < ForgottenAfter)
        {
            // Only a failure after a proof makes the next proof longer: an outage of whatever the source needs ends once.
            proof = IsProven(last) ? TimeSpan.FromTicks(Math.Min(2 * last.Proof.Ticks, LongestProof.Ticks)) : last.Proof;
            inRow = last.InRow + 1;
        }

        _failure = new Failure(cause, inRow, proof, time.GetTimestamp());
        Volatile.Write(ref _receivingSince, NotReceiving);
        if (_failureLog.ShouldLog(cause, string.Empty, out SuppressedLines suppressed))
        {
            SafeLog.Try(() => LogReceiveFailed(exception, route, plan.Name, DurationText.Of(RestartPause), suppressed));
        }
    }

    /// <summary>Asks foreign code for its problem: for health checks and watchdogs, which must not fail with it.</summary>
    public static string? Ask(string name, Func<string?> question)
    {
        try
        {
            return question();
        }
        catch (Exception exception)
        {
            return $"{name} cannot say whether it works ({exception.GetType().Name}).";
        }
    }

    private bool IsProven(Failure failure) => IsReceivingFor(failure.Proof);

    private bool IsReceivingFor(TimeSpan duration)
    {
        long since = Volatile.Read(ref _receivingSince);
        return since != NotReceiving && time.GetElapsedTime(since) >= duration;
    }

    [LoggerMessage(
        1003, LogLevel.Error, "Route {Route}: receiving from {Source} ended unexpectedly; the worker is not ready, and restarts it in {Pause}{Suppressed}")]
    private partial void LogReceiveFailed(Exception? exception, string route, string source, string pause, SuppressedLines suppressed);

    [LoggerMessage(1014, LogLevel.Information, "Route {Route}: receiving from {Source} works again")]
    private partial void LogReceivesAgain(string route, string source);

    /// <summary>The last end of receiving.</summary>
    /// <param name="Cause">Why it ended.</param>
    /// <param name="InRow">Failures, this one included, none of which is ten minutes after the one before.</param>
    /// <param name="Proof">How long it must receive until it counts as working.</param>
    /// <param name="At">When, as a timestamp.</param>
    private sealed record Failure(string Cause, int InRow, TimeSpan Proof, long At);
}
