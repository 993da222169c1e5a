using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Recoverability;

/// <content>Outcomes as settlements, also of a sink that throws instead of returning what failed.</content>
internal sealed partial class CircuitBreaker
{
    private static readonly TimeSpan ThrownInterval = TimeSpan.FromSeconds(10);

    private readonly LogThrottles<Type> _thrown = new(time, ThrownInterval);

    /// <summary>
    /// The sink threw. An exception that stands for a settlement, by its type or by <c>Recoverability:DeadLetterOn</c> and <c>RetryOn</c>, counts as that
    /// outcome; any other is a transient fault of the sink, logged with its stack trace.
    /// </summary>
    /// <param name="sink">The sink's name.</param>
    /// <param name="exception">What it threw; not for a cancellation of the message's token.</param>
    /// <param name="isShared">True when another message reports the same outcome.</param>
    /// <returns>The settlement of the message.</returns>
    public Settlement SinkThrew(string sink, Exception exception, bool isShared = false)
    {
        ArgumentNullException.ThrowIfNull(exception);
        if (!options.Rules.TryRead(exception, isCancelled: false, out Settlement settlement))
        {
            string message = UntrustedText.MessageOf(exception);
            settlement = Settlement.Transient(exception is PartDefectException ? message : $"The sink {sink} threw {exception.GetType().Name}: {message}")
                with
            { ExceptionType = exception.GetType().FullName, Exception = exception };
            if (_thrown.ShouldLog(exception.GetType(), out SuppressedLines suppressed))
            {
                SafeLog.Try(() => LogThrew(exception, route, sink, suppressed));
            }
        }

        if (!isShared)
        {
            Report(settlement.Fault, settlement.Description!);
        }

        return settlement with { IsReported = true };
    }

    /// <summary>Counts an outcome by the fault outside the message that it reports.</summary>
    internal void Report(SettlementFault fault, string detail)
    {
        switch (fault)
        {
            case SettlementFault.None:
                Succeeded();
                break;
            case SettlementFault.Refused:
                Refused(detail);
                break;
            default:
                Failed(detail);
                break;
        }
    }

    [LoggerMessage(2003, LogLevel.Error, "Route {Route}: the sink {Sink} threw; its message is held or abandoned, and not dead-lettered for it{Suppressed}")]
    private partial void LogThrew(Exception exception, string route, string sink, SuppressedLines suppressed);
}
