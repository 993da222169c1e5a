using Microsoft.Extensions.Logging;

namespace Messaging.Aws.Sqs;

/// <summary>A logger that never throws: an exception would end the loop that logs, and with it deletes, renewals or received messages.</summary>
internal sealed class SafeLogger(ILogger logger) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => logger.BeginScope(state);

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
