using Microsoft.Extensions.Logging;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Intake;

/// <content>Counts and logs what becomes of a message, and what the parts of the pipeline did wrong.</content>
internal sealed partial class MessageIntake
{
    private static readonly Func<ILogger, string, string, IDisposable?> SpanScope =
        LoggerMessage.DefineScope<string, string>("SpanId:{SpanId}, TraceId:{TraceId}");

    private readonly ReasonThrottle _notStoredLog;
    // So that a source without a dead-letter queue does not deliver it in a loop.
    private static readonly TimeSpan NoIdDelay = TimeSpan.FromSeconds(30);

    private readonly LogThrottles<string> _defectLog;
    private volatile string? _noIdWarning;
    private readonly LogThrottles<(Type, string)> _exceptionLog;

    // Failed settlements of slots that are not finished yet: the others that finish have been settled.
    private int _unsettled;
    private int _failedSettlements;

    /// <summary>Whether the parts let any message pass; of the route.</summary>
    public FailureRun PartFailures { get; init; }

    /// <summary>Whether the source settles any message.</summary>
    public FailureRun SettlementFailures { get; init; }

    /// <summary>True after the source has asked for a slot since its receiving began.</summary>
    public bool WasAsked { get; private set; }

    /// <summary>True when a message has ignored its cancellation for so long that its slot counts as lost.</summary>
    public bool IsStuck => _timeouts.IsStuck;

    /// <summary>Settlements that have been running for more than ten seconds.</summary>
    public int SlowSettlements => _timeouts.SlowSettlements;

    /// <summary>Why the source can settle nothing more; null without a problem.</summary>
    public string? Problem => _timeouts.Problem ?? SettlementFailures.Problem;

    /// <summary>What an operator should know although messages still arrive.</summary>
    public IEnumerable<string> Warnings => ((string?[])[_timeouts.Warning, SettlementFailures.Warning, _noIdWarning]).OfType<string>();

    /// <summary>The source starts to receive.</summary>
    public void BeginReceiving()
    {
        lock (_lock)
        {
            WasAsked = false;
        }
    }

    /// <summary>Logs what would otherwise go with the process: counts of messages not stored.</summary>
    public void ReportAtStop() => SafeLog.Try(() => LogSummaries(all: true));

    /// <summary>An exception on a pool thread would end the process.</summary>
    internal void SettlingFailed(Exception exception) => SafeLog.Try(() =>
    {
        Interlocked.Increment(ref _unsettled);
        _metrics.SettlementFailed();
        string failure = $"{exception.GetType().Name}: {UntrustedText.MessageOf(exception)}";
        string problem = $"The source {_source} could not settle the last {FailureRun.Limit} messages, so it may deliver them again; "
            + $"the last failure: {UntrustedText.Shorten(failure)}";
        bool isNew = SettlementFailures.Failed(Interlocked.Increment(ref _failedSettlements), problem);
        if (_exceptionLog.ShouldLog((exception.GetType(), _source), out SuppressedLines suppressed))
        {
            LogSettlingFailed(exception, _route, _source, suppressed);
        }

        ReportRun(isNew, problem);
    });

    /// <summary>A slot is finished although settlements failed: its own may be among them.</summary>
    private void SettlementEnded()
    {
        if (Interlocked.Decrement(ref _unsettled) < 0)
        {
            Interlocked.Increment(ref _unsettled);
            Passed(SettlementFailures);
        }
    }

    private void Passed(FailureRun run)
    {
        if (run.Passed())
        {
            SafeLog.Try(() => LogPassed(_route));
        }
    }

    private void ReportRun(bool isNew, string problem)
    {
        if (isNew)
        {
            SafeLog.Try(() => LogNothingPasses(_route, problem));
        }
    }

    private void Report(ReceivedMessage message, in Settlement settlement, Cancellation cancellation, long acceptedAt)
    {
        _metrics.MessageSettled(settlement, RouteMetrics.MeasuresProcessing ? _time.GetElapsedTime(acceptedAt) : TimeSpan.Zero);
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
            _metrics.MessageTimedOut();
        }

        using (CorrelateLogs(message))
        {
            LogNotStored(message, settlement);
        }
    }

    // In a method of its own: the closure is for dead letters only.
    private void ShowBody(ReceivedMessage message) => SafeLog.Try(() => LookForEnvelope(message.Body));

    /// <summary>Logs what a part did wrong: it decided nothing, or threw. A part that was cancelled is not at fault.</summary>
    private void ReportFault(ReceivedMessage message, in Settlement decided, Exception? exception, Cancellation cancellation)
    {
        Exception? thrown = exception ?? decided.Exception;
        if ((exception is null && decided.IsDecided) || (thrown is null && decided.ExceptionType is not null))
        {
            // Decided, or cancelled with the batch.
            return;
        }

        string? part = thrown is null ? null : _pipeline.FindPart(thrown) ?? "a part of the pipeline";
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
                    : $"The message is redelivered, and dead-lettered on delivery {_policy.MaxDeliveries}";
                LogDefect(_route, UntrustedText.Shorten(message.SourceId.Span), defect, next, suppressed);
            }
        }
    }

    /// <summary>A message without an id could not be found again in logs, dead letters and redeliveries. The source's other messages are processed.</summary>
    private Settlement ReportNoId()
    {
        string warning = $"The source {_source} delivers messages without an id, which are abandoned. "
            + "Its SourceId must not be empty, and be the same on each delivery of a message.";
        _noIdWarning = warning;
        if (_defectLog.ShouldLog(warning, out SuppressedLines suppressed))
        {
            LogNoId(_route, warning, suppressed);
        }

        return Settlement.Abandon(NoIdDelay, warning);
    }

    private void ReportThrown(ReceivedMessage message, Exception exception, string part)
    {
        if (_exceptionLog.ShouldLog((exception.GetType(), part), out SuppressedLines suppressed))
        {
            using (CorrelateLogs(message))
            {
                LogThrew(exception, _route, part, UntrustedText.Shorten(message.SourceId.Span), message.DeliveryCount, suppressed);
            }
        }
    }

    /// <summary>Adds the ids of the message's span, which has ended, to the log lines.</summary>
    private IDisposable? CorrelateLogs(ReceivedMessage message) =>
        message.Span is { } span ? SpanScope(_logger, span.SpanId.ToHexString(), span.TraceId.ToHexString()) : null;

    private void LogNotStored(ReceivedMessage message, in Settlement settlement)
    {
        string id = UntrustedText.Shorten(message.SourceId.Span);
        string description = string.IsNullOrWhiteSpace(settlement.Description) ? "no description" : UntrustedText.Shorten(settlement.Description);
        bool isDeadLetter = settlement.Kind == SettlementKind.DeadLetter;
        if (isDeadLetter)
        {
            _metrics.LastDeadLetter = description;
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
            LogDeadLetter(_route, id, UntrustedText.Shorten(settlement.Reason), message.DeliveryCount, description, suppressed);
        }
        else
        {
            string next = message.IsSentAgainByCaller ? "the caller was told to send it again" : $"redelivery in {DurationText.Of(settlement.Delay)}";
            LogAbandoned(_route, id, message.DeliveryCount, next, description, suppressed);
        }
    }

    /// <summary>Logs the messages that <see cref="LogNotStored"/> only counted.</summary>
    private void LogSummaries(bool all)
    {
        foreach ((string outcome, long count, string last) in _notStoredLog.TakeSummaries(all))
        {
            LogMoreNotStored(_route, count, _source, outcome, last);
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
}
