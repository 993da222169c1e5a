using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Telemetry;

public sealed partial class ThrottlingLoggerTests
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);
    private readonly ManualTimeProvider _time = new();
    private readonly PropertyRecorder _log = new();
    private readonly ThrottlingLogger _throttling;

    public ThrottlingLoggerTests() => _throttling = new ThrottlingLogger(_log, _time, Interval);

    [Fact]
    public void Log_WithinTheInterval_OneLineAndTheNextHasTheCount()
    {
        Failed(_throttling, "a");
        Failed(_throttling, "b");
        Failed(_throttling, "c");
        _time.Advance(Interval);
        Failed(_throttling, "d");
        _time.Advance(Interval);
        Failed(_throttling, "e");

        _log.Lines.Select(line => line.Text).ShouldBe(["failed: a", "failed: d (2 similar lines suppressed)", "failed: e"]);
    }

    [Fact]
    public void Log_AfterSuppressedLines_KeepsThePropertiesAndAddsTheCount()
    {
        Failed(_throttling, "a");
        Failed(_throttling, "b");
        _time.Advance(Interval);
        InvalidOperationException exception = new();
        Failed(_throttling, "c", exception);

        _log.Lines[0].Properties.ShouldBe([new("Error", "a"), new("{OriginalFormat}", "failed: {Error}")]);
        _log.Lines[1].Properties.ShouldBe([new("Suppressed", 1L), new("Error", "c"), new("{OriginalFormat}", "failed: {Error}")]);
        _log.Lines[1].Exception.ShouldBeSameAs(exception);
    }

    [Fact]
    public void Log_AnotherEvent_IsNotSuppressed()
    {
        Failed(_throttling, "a");
        Recovered(_throttling);
        Failed(_throttling, "b");

        _log.Lines.Select(line => line.Text).ShouldBe(["failed: a", "works again"]);
    }

    [Fact]
    public void Log_MoreEventIdsThanItKeeps_TheRestShareOneThrottle()
    {
        for (int id = 0; id < 1_000; id++)
        {
            _throttling.Log(LogLevel.Warning, new EventId(id), id, null, static (state, _) => $"event {state}");
        }

        _time.Advance(Interval);
        _throttling.Log(LogLevel.Warning, new EventId(1_000), 1_000, null, static (state, _) => $"event {state}");

        _log.Lines.Count.ShouldBe(66);
        _log.Lines[^1].Text.ShouldBe("event 1000 (935 similar lines suppressed)");
    }

    [LoggerMessage(1, LogLevel.Warning, "failed: {Error}")]
    private static partial void Failed(ILogger logger, string error, Exception? exception = null);

    [LoggerMessage(2, LogLevel.Information, "works again")]
    private static partial void Recovered(ILogger logger);

    private sealed class PropertyRecorder : ILogger
    {
        public List<(string Text, KeyValuePair<string, object?>[] Properties, Exception? Exception)> Lines { get; } = [];

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            Lines.Add((formatter(state, exception), [.. state as IEnumerable<KeyValuePair<string, object?>> ?? []], exception));
    }
}
