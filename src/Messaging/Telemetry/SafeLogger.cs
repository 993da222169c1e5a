using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Telemetry;

/// <summary>A logger that never throws: an exception would end the loop that logs, and with it deletes, renewals or received messages.</summary>
internal sealed class SafeLogger(ILogger logger) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
    {
        try
        {
            return logger.BeginScope(state);
        }
        catch (Exception)
        {
            return null;
        }
    }

    public bool IsEnabled(LogLevel logLevel)
    {
        try
        {
            return logger.IsEnabled(logLevel);
        }
        catch (Exception)
        {
            return false;
        }
    }

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        try
        {
            logger.Log(logLevel, eventId, state, exception, formatter);
        }
        catch (Exception)
        {
            // The line is lost; metrics count the failures, too.
        }
    }
}

/// <summary>Creates loggers that never throw.</summary>
internal sealed class SafeLoggerFactory(ILoggerFactory loggers) : ILoggerFactory
{
    public ILogger CreateLogger(string categoryName) => new SafeLogger(loggers.CreateLogger(categoryName));

    public void AddProvider(ILoggerProvider provider) => loggers.AddProvider(provider);

    public void Dispose()
    {
        // The host owns the factory.
    }
}

/// <summary>
/// Logs where a log that throws would do damage: on a timer's thread it ends the process, in a loop it ends the loop. What is logged this way
/// also stands on the page, in the health answer or in a metric.
/// </summary>
internal static class SafeLog
{
    public static void Try(Action log)
    {
        try
        {
            log();
        }
        catch (Exception)
        {
            // The provider's own fault.
        }
    }
}

/// <summary>Measures without throwing: listeners are foreign code, and no message's outcome may depend on them.</summary>
internal static class SafeInstruments
{
    public static void TryAdd(this Counter<long> counter, long value, params ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        try
        {
            counter.Add(value, tags);
        }
        catch (Exception)
        {
            // Of a listener.
        }
    }

    public static void TryRecord<T>(this Histogram<T> histogram, T value, params ReadOnlySpan<KeyValuePair<string, object?>> tags)
        where T : struct
    {
        try
        {
            histogram.Record(value, tags);
        }
        catch (Exception)
        {
            // Of a listener.
        }
    }
}
