using Microsoft.Extensions.Logging;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Intake;

/// <summary>
/// Counts and logs what becomes of the messages of an intake, and what the parts of the pipeline and the source did wrong. Takes no lock of the intake.
/// Threads: any.
/// </summary>
internal sealed partial class IntakeReports(
    string route, string source, IPipeline<MessageContext> pipeline, RecoverabilityPolicy policy, RouteMetrics metrics, TimeProvider time, ILogger logger)
{
    private const string SettleAdvice = "Check what its source settles with.";

    private static readonly Func<ILogger, string, string, IDisposable?> SpanScope =
        LoggerMessage.DefineScope<string, string>("SpanId:{SpanId}, TraceId:{TraceId}");

    // So that a source without a dead-letter queue does not deliver it in a loop.
    private static readonly TimeSpan NoIdDelay = TimeSpan.FromSeconds(30);

    // A warning about messages without an id ends this long after the last one.
    private static readonly TimeSpan NoIdLimit = TimeSpan.FromMinutes(1);

    private readonly string _noIdWarning = $"The source {source} delivers messages without an id, which are abandoned. "
        + "Its SourceId must not be empty, and be the same on each delivery of a message.";

    private readonly ReasonThrottle _notStoredLog = new(time);
    private readonly LogThrottle _heldLog = new(time, ReasonThrottle.Interval);
    private readonly LogThrottles<string> _defectLog = new(time, HandlerReports.Interval);
    private readonly LogThrottles<(Type, string)> _exceptionLog = new(time, HandlerReports.Interval);
    private long _noIdAt = long.MinValue;

    // Failed settlements of slots that are not finished yet: the others that finish have been settled.
    private int _unsettled;
    private int _failedSettlements;

    public TimeoutWatch Timeouts { get; } = new(route, source, time, logger);

    /// <summary>Whether the parts let any message pass; of the route.</summary>
    public FailureRun PartFailures { get; init; } = new(time);

    /// <summary>Whether the source settles any message.</summary>
    public FailureRun SettlementFailures { get; init; } = new(time);

    /// <summary>Shown the bodies of dead letters.</summary>
    public Action<ReadOnlyMemory<byte>> LookForEnvelope { get; init; } = static _ => { };

    /// <summary>Why the source can settle nothing more; null without a problem.</summary>
    public RouteProblem? Problem => RouteProblem.Failure(5009, Timeouts.Problem, SettleAdvice, Setting)
        ?? RouteProblem.Failure(5011, SettlementFailures.Problem, SettleAdvice, Setting);

    /// <summary>What an operator should know although messages still arrive.</summary>
    public IEnumerable<RouteProblem> Warnings => ((RouteProblem?[])[
        RouteProblem.Warning(5009, Timeouts.Warning, SettleAdvice, Setting),
        RouteProblem.Warning(5011, SettlementFailures.Warning, SettleAdvice, Setting),
        RouteProblem.Warning(5013, NoIdWarning, "Do what it says; receiving goes on.", Setting),
    ]).OfType<RouteProblem>();

    private string Setting => $"Sources:{source}";

    private string? NoIdWarning =>
        Volatile.Read(ref _noIdAt) is var at && at != long.MinValue && time.GetElapsedTime(at) < NoIdLimit ? _noIdWarning : null;

    public void Received(int messages) => metrics.MessagesReceived(messages);

    public void Held(ReceivedMessage message, TimeSpan limit, string part, in Settlement fault)
    {
        if (_heldLog.ShouldLog(out SuppressedLines suppressed))
        {
            using IDisposable? scope = CorrelateLogs(message);
            LogHeld(
                route, UntrustedText.Shorten(message.SourceId.Span), message.DeliveryCount,
                DurationText.Of(TimeSpan.FromSeconds(Math.Round(limit.TotalSeconds))), part,
                UntrustedText.Shorten(fault.Description ?? string.Empty), suppressed);
        }
    }

    /// <summary>Looks for messages beyond their timeout, and logs what was only counted.</summary>
    public void Watch(MessageSlot[] slots, TimeSpan timeout, long now)
    {
        Timeouts.Check(slots, timeout, now);
        SafeLog.Try(() => LogSummaries(all: false));
    }

    /// <summary>Logs what would otherwise go with the process: counts of messages not stored.</summary>
    public void ReportAtStop() => SafeLog.Try(() => LogSummaries(all: true));

    /// <summary>An exception on a pool thread would end the process.</summary>
    public void SettlingFailed(Exception exception) => SafeLog.Try(() =>
    {
        Interlocked.Increment(ref _unsettled);
        metrics.SettlementFailed();
        string failure = $"{exception.GetType().Name}: {UntrustedText.MessageOf(exception)}";
        string problem = $"The source {source} could not settle the last {FailureRun.Limit} messages, so it may deliver them again; "
            + $"the last failure: {UntrustedText.Shorten(failure)}";
        bool isNew = SettlementFailures.Failed(Interlocked.Increment(ref _failedSettlements), problem);
        if (_exceptionLog.ShouldLog((exception.GetType(), source), out SuppressedLines suppressed))
        {
            LogSettlingFailed(exception, route, source, suppressed);
        }

        ReportRun(isNew, problem);
    });

    /// <summary>A slot is finished; if settlements failed, its own may be among them.</summary>
    public void Settled()
    {
        if (SettlementFailures.Any && Interlocked.Decrement(ref _unsettled) < 0)
        {
            Interlocked.Increment(ref _unsettled);
            Passed(SettlementFailures);
        }
    }

    private void Passed(FailureRun run)
    {
        if (run.Passed())
        {
            SafeLog.Try(() => LogPassed(route));
        }
    }

    private void ReportRun(bool isNew, string problem)
    {
        if (isNew)
        {
            SafeLog.Try(() => LogNothingPasses(route, problem));
        }
    }

    public void Report(ReceivedMessage message, in Settlement settlement, Cancellation cancellation, long acceptedAt)
    {
        metrics.MessageSettled(settlement, RouteMetrics.MeasuresProcessing ? time.GetElapsedTime(acceptedAt) : TimeSpan.Zero);
        if (settlement.Kind == SettlementKind.Complete)
        {
            if (PartFailures.Any)
            {
                Passed(PartFailures);
            }

            return;
        }

        if (settlement.Kind == SettlementKind.DeadLetter)
        {
            ShowBody(message);
        }

        if (cancellation == Cancellation.Timeout)
        {
            metrics.MessageTimedOut();
        }

        using (CorrelateLogs(message))
        {
            LogNotStored(message, settlement);
        }
    }

    // In a method of its own: the closure is for dead letters only.
    private void ShowBody(ReceivedMessage message) => SafeLog.Try(() => LookForEnvelope(message.Body));

    /// <summary>Logs what a part did wrong: it decided nothing, or threw. A part that was cancelled is not at fault.</summary>
    public void ReportFault(ReceivedMessage message, in Settlement decided, Exception? exception, Cancellation cancellation)
    {
        Exception? thrown = exception ?? decided.Exception;
        if ((exception is null && decided.IsDecided) || (thrown is null && decided.ExceptionType is not null))
        {
            // Decided, or cancelled with the batch.
            return;
        }

        string? part = thrown is null ? null : pipeline.FindPart(thrown) ?? "a part of the pipeline";
        string defect = decided.Description ?? RecoverabilityPolicy.NotSettled;
        if (thrown is null && cancellation == Cancellation.None)
        {
            ReportDefect(message, defect);
        }
        else if (exception is not null
            && !HandlerReports.IsReported(exception)
            && (exception is not OperationCanceledException || cancellation == Cancellation.None))
        {
            ReportThrown(message, exception, part!);
        }

        if (cancellation != Cancellation.Shutdown)
        {
            string failure = thrown is null ? defect
                : thrown is OperationCanceledException && cancellation == Cancellation.Timeout ? $"{part} took longer than Intake:MessageTimeout."
                : $"{part} threw {thrown.GetType().Name}: {UntrustedText.MessageOf(thrown)}";
            string problem = $"None of the last {FailureRun.Limit} messages passed; the last failure: {UntrustedText.Shorten(failure)} "
                + "The route still receives, and is ready when a message is completed. Events 5006, 5007 and 5301 have the details.";
            HashCode id = new();
            id.AddBytes(message.SourceId.Span);
            ReportRun(PartFailures.Failed(id.ToHashCode(), problem), problem);
        }
    }

    private void ReportDefect(ReceivedMessage message, string defect)
    {
        if (_defectLog.ShouldLog(defect, out SuppressedLines suppressed))
        {
            using (CorrelateLogs(message))
            {
                string next = message.IsSentAgainByCaller
                    ? "The caller is told to send it again"
                    : $"The message is redelivered, and dead-lettered on delivery {policy.MaxDeliveries}";
                LogDefect(route, UntrustedText.Shorten(message.SourceId.Span), defect, next, suppressed);
            }
        }
    }

    /// <summary>A message without an id could not be found again in logs, dead letters and redeliveries. The source's other messages are processed.</summary>
    public Settlement ReportNoId()
    {
        Volatile.Write(ref _noIdAt, time.GetTimestamp());
        if (_defectLog.ShouldLog(_noIdWarning, out SuppressedLines suppressed))
        {
            LogNoId(route, _noIdWarning, suppressed);
        }

        return Settlement.Abandon(NoIdDelay, _noIdWarning);
    }

    private void ReportThrown(ReceivedMessage message, Exception exception, string part)
    {
        if (_exceptionLog.ShouldLog((exception.GetType(), part), out SuppressedLines suppressed))
        {
            using (CorrelateLogs(message))
            {
                LogThrew(exception, route, part, UntrustedText.Shorten(message.SourceId.Span), message.DeliveryCount, suppressed);
            }
        }
    }

    /// <summary>Adds the ids of the message's span, which has ended, to the log lines.</summary>
    private IDisposable? CorrelateLogs(ReceivedMessage message) =>
        message.Span is { } span ? SpanScope(logger, span.SpanId.ToHexString(), span.TraceId.ToHexString()) : null;

    private void LogNotStored(ReceivedMessage message, in Settlement settlement)
    {
        string id = UntrustedText.Shorten(message.SourceId.Span);
        string description = string.IsNullOrWhiteSpace(settlement.Description) ? "no description" : UntrustedText.Shorten(settlement.Description);
        bool isDeadLetter = settlement.Kind == SettlementKind.DeadLetter;
        if (isDeadLetter)
        {
            metrics.LastDeadLetter = description;
        }

        string kind = isDeadLetter ? "dead-lettered" : "abandoned";
        string reason = UntrustedText.Shorten(RouteMetrics.ErrorTypeOf(settlement)) ?? kind;
        string outcome = reason == kind ? kind : $"{kind} as {reason}";
        if (!_notStoredLog.ShouldLog(outcome, $"{id}: {description}", out SuppressedLines suppressed))
        {
            return;
        }

        if (isDeadLetter)
        {
            LogDeadLetter(route, id, UntrustedText.Shorten(settlement.Reason), message.DeliveryCount, description, suppressed);
        }
        else
        {
            string next = message.IsSentAgainByCaller ? "the caller was told to send it again" : $"redelivery in {DurationText.Of(settlement.Delay)}";
            LogAbandoned(route, id, message.DeliveryCount, next, description, suppressed);
        }
    }

    /// <summary>Logs the messages that <see cref="LogNotStored"/> only counted.</summary>
    private void LogSummaries(bool all)
    {
        foreach ((string outcome, long count, string last) in _notStoredLog.TakeSummaries(all))
        {
            LogMoreNotStored(route, count, source, outcome, last);
        }
    }

    [LoggerMessage(5001, LogLevel.Warning, "Route {Route}: message {Id} is dead-lettered as {Reason} on delivery {Delivery}: {Description}{Suppressed}")]
    private partial void LogDeadLetter(string route, string id, string? reason, int delivery, string description, SuppressedLines suppressed);

    [LoggerMessage(5002, LogLevel.Warning, "Route {Route}: message {Id} abandoned on delivery {Delivery}; {Next}: {Description}{Suppressed}")]
    private partial void LogAbandoned(string route, string id, int delivery, string next, string description, SuppressedLines suppressed);

    [LoggerMessage(5008, LogLevel.Warning, "Route {Route}: {Count} more message(s) of {Source} {Outcome} since the last such line; the last: message {Last}")]
    private partial void LogMoreNotStored(string route, long count, string source, string outcome, string last);

    [LoggerMessage(5004, LogLevel.Error, "Route {Route}: the source {Source} threw when it settled a message; the message may be redelivered{Suppressed}")]
    private partial void LogSettlingFailed(Exception exception, string route, string source, SuppressedLines suppressed);

    [LoggerMessage(5011, LogLevel.Error, "Route {Route}: {Problem}")]
    private partial void LogNothingPasses(string route, string problem);

    [LoggerMessage(5012, LogLevel.Information, "Route {Route}: messages pass again")]
    private partial void LogPassed(string route);

    [LoggerMessage(5013, LogLevel.Error, "Route {Route}: {Problem}{Suppressed}")]
    private partial void LogNoId(string route, string problem, SuppressedLines suppressed);

    [LoggerMessage(5007, LogLevel.Error, "Route {Route}: {Part} threw an exception for message {Id} on delivery {Delivery}{Suppressed}")]
    private partial void LogThrew(Exception exception, string route, string part, string id, int delivery, SuppressedLines suppressed);

    [LoggerMessage(
        5006, LogLevel.Error,
        "Route {Route}: message {Id} was processed without a decision, a defect of the part and not of the message. {Defect} {Next}{Suppressed}")]
    private partial void LogDefect(string route, string id, string defect, string next, SuppressedLines suppressed);

    [LoggerMessage(
        5005, LogLevel.Warning,
        "Route {Route}: message {Id} is held for up to {Limit} on delivery {Delivery} and retried until the {Part} works: {Description}{Suppressed}")]
    private partial void LogHeld(string route, string id, int delivery, string limit, string part, string? description, SuppressedLines suppressed);
}
