using Microsoft.Extensions.Logging;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>A log that throws on every line. Threads: any.</summary>
internal sealed class FullLog : ILoggerFactory, ILogger
{
    private int _lines;

    /// <summary>Lines that were not written.</summary>
    public int Lines => Volatile.Read(ref _lines);

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        Interlocked.Increment(ref _lines);
        throw new AggregateException("The log is full.");
    }
}
