using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Telemetry;

/// <summary>
/// Logs each event at most once per interval, so that an outage does not flood the log. The event's next line tells how many were suppressed, in
/// its text and as the property Suppressed. Where the values of a line are costly, ask a <see cref="LogThrottle"/> before them. Threads: any.
/// </summary>
/// <param name="logger">Receives the lines.</param>
/// <param name="time">The clock.</param>
/// <param name="interval">The shortest time between two lines of one event id.</param>
internal sealed class ThrottlingLogger(ILogger logger, TimeProvider time, TimeSpan interval) : ILogger
{
    private readonly LogThrottles<int> _throttles = new(time, interval);

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => logger.BeginScope(state);

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => logger.IsEnabled(logLevel);

    /// <inheritdoc/>
    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (!_throttles.ShouldLog(eventId.Id, out SuppressedLines suppressed))
        {
            return;
        }

        if (suppressed.Count == 0)
        {
            logger.Log(logLevel, eventId, state, exception, formatter);
            return;
        }

        // The template is the last property by convention, so the count goes before it.
        KeyValuePair<string, object?>[] properties = [new("Suppressed", suppressed.Count), .. state as IEnumerable<KeyValuePair<string, object?>> ?? []];
        logger.Log(logLevel, eventId, properties, exception, (_, thrown) => $"{formatter(state, thrown)}{suppressed}");
    }
}
