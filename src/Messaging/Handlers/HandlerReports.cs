using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Handlers;

/// <summary>
/// Reports the outcomes of user code to the route's breaker and to the log, with the stack trace that the line about the message lacks.
/// The breaker counts a handler that returned, and the settlements and exceptions that report a dependency of the handler as down. Any
/// other exception may be caused by the message. Threads: any.
/// </summary>
internal sealed partial class HandlerReports(string route, string handler, ExceptionRules rules, CircuitBreaker breaker, ILogger logger, TimeProvider time)
{
    /// <summary>The shortest time between two stack traces of one kind: the first is never suppressed.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan MisuseInterval = TimeSpan.FromSeconds(1);

    // By reference, so that the intake does not report an exception again.
    private static readonly ConditionalWeakTable<Exception, object?> Reported = [];

    private readonly LogThrottles<Type> _failures = new(time, Interval);
    private readonly ThrottlingLogger _misuses = new(logger, time, MisuseInterval);

    /// <summary>What an exception of the handler means.</summary>
    public ExceptionRules Rules => rules;

    /// <summary>The handler's name, for people.</summary>
    public string Handler => handler;

    /// <summary>True when a handler threw it, which was then reported.</summary>
    public static bool IsReported(Exception exception) => Reported.TryGetValue(exception, out _);

    /// <summary>The handler returned a settlement; one that decides nothing says nothing about its dependencies.</summary>
    public void Returned(in Settlement settlement)
    {
        if (settlement.IsDecided)
        {
            Returned(settlement.Fault, settlement.Description);
        }
    }

    /// <summary>The handler returned.</summary>
    /// <param name="fault">The fault outside the message that it reports.</param>
    /// <param name="description">The description of the fault.</param>
    public void Returned(SettlementFault fault, string? description) => breaker.Report(fault, description ?? handler);

    /// <summary>The handler threw.</summary>
    /// <param name="exception">What it threw.</param>
    /// <param name="message">The message that it was passed; null for a batch.</param>
    /// <param name="cancellationToken">The token that it was passed.</param>
    public void Threw(Exception exception, ReceivedMessage? message, CancellationToken cancellationToken)
    {
        if (rules.TryRead(exception, cancellationToken.IsCancellationRequested, out Settlement settlement))
        {
            if (settlement.Fault != SettlementFault.None)
            {
                Returned(settlement.Fault, settlement.Description);
            }

            return;
        }

        if (exception is OperationCanceledException && cancellationToken.IsCancellationRequested)
        {
            return;
        }

        Reported.TryAdd(exception, null);
        if (_failures.ShouldLog(exception.GetType(), out SuppressedLines suppressed))
        {
            LogThrew(logger, exception, route, handler, message is null ? "a batch" : $"message {UntrustedText.Shorten(message.SourceId.Span)}", suppressed);
        }
    }

    /// <summary>A message of a batch was settled in a way that has no effect.</summary>
    /// <param name="misuse">Why: the end of the log line.</param>
    /// <param name="index">Its index in the batch.</param>
    public void Misused(string misuse, int index) => LogMisused(_misuses, route, handler, index, misuse);

    [LoggerMessage(5301, LogLevel.Error, "Route {Route}: the handler {Handler} threw for {Message}{Suppressed}")]
    private static partial void LogThrew(ILogger logger, Exception exception, string route, string handler, string message, SuppressedLines suppressed);

    [LoggerMessage(5302, LogLevel.Warning, "Route {Route}: the handler {Handler} settled message {Index} of a batch {Misuse}")]
    private static partial void LogMisused(ILogger logger, string route, string handler, int index, string misuse);
}
