using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Worker.Tests.Sources.Contract;

/// <summary>Keeps what was logged.</summary>
internal sealed class RecordingLog : ILoggerFactory, ILoggerProvider, ILogger
{
    private readonly ConcurrentQueue<(LogLevel Level, EventId Id, string Text)> _entries = new();

    public IReadOnlyList<(LogLevel Level, EventId Id, string Text)> Entries => [.. _entries];

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public ILogger CreateLogger(string categoryName) => this;

    public void Dispose()
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        _entries.Enqueue((logLevel, eventId, formatter(state, exception)));
}
