using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Messaging.Tests.Telemetry;

/// <summary>Records log lines; can throw on every line. Threads: any.</summary>
internal sealed class RecordingLogger : ILogger
{
    private readonly ConcurrentQueue<LoggedLine> _lines = new();
    private readonly ConcurrentQueue<string?> _scopes = new();

    public IReadOnlyCollection<LoggedLine> Lines => _lines;

    /// <summary>The scopes, as text.</summary>
    public IReadOnlyCollection<string?> Scopes => _scopes;

    public bool Throws { get; set; }

    public IEnumerable<LoggedLine> Of(int eventId) => _lines.Where(line => line.EventId == eventId);

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
    {
        _scopes.Enqueue(state.ToString());
        return null;
    }

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (Throws)
        {
            throw new AggregateException("The log is full.");
        }

        _lines.Enqueue(new LoggedLine(eventId.Id, logLevel, formatter(state, exception), exception));
    }
}
