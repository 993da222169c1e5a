using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Testing;

/// <summary>Keeps what is logged, whatever the category and level. Threads: any.</summary>
public sealed class RecordingLog : ILoggerFactory, ILoggerProvider, ILogger
{
    private readonly ConcurrentQueue<LogEntry> _entries = new();

    /// <summary>The lines so far, in order.</summary>
    public IReadOnlyList<LogEntry> Entries => [.. _entries];

    /// <summary>Has no effect: the lines are kept here.</summary>
    public void AddProvider(ILoggerProvider provider)
    {
    }

    /// <inheritdoc cref="ILoggerFactory.CreateLogger"/>
    public ILogger CreateLogger(string categoryName) => this;

    /// <summary>Has no effect: the lines can still be read.</summary>
    public void Dispose()
    {
    }

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => true;

    /// <inheritdoc/>
    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        ArgumentNullException.ThrowIfNull(formatter);
        _entries.Enqueue(new LogEntry(logLevel, eventId, formatter(state, exception), exception));
    }
}

/// <summary>One line of a <see cref="RecordingLog"/>.</summary>
/// <param name="Level">Its level.</param>
/// <param name="Id">The event.</param>
/// <param name="Text">The formatted line.</param>
/// <param name="Exception">The exception that was logged with it; null without one.</param>
public readonly record struct LogEntry(LogLevel Level, EventId Id, string Text, Exception? Exception = null);
