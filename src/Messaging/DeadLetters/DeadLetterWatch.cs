using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.DeadLetters;

/// <summary>
/// Asks the store every few seconds how many dead letters wait, for the page and the metrics. A slow store is asked less often. Threads: any.
/// </summary>
internal sealed partial class DeadLetterWatch : IAsyncDisposable
{
    /// <summary>The minimum time between two counts.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(5);

    // A count may take this share of the time, but one that was slow by accident must not leave the page stale for minutes.
    private const int Share = 50;
    private static readonly TimeSpan MaxPause = TimeSpan.FromSeconds(30);

    // How long the start waits for the first count, so that the first scrape of the metrics has it.
    private static readonly TimeSpan FirstCount = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LogInterval = TimeSpan.FromMinutes(5);

    private readonly IDeadLetterStore _store;
    private readonly TimeProvider _time;
    private readonly ThrottlingLogger _logger;
    private readonly CancellationTokenSource _stop = new();
    private Task _watching = Task.CompletedTask;
    private volatile WaitingDeadLetters? _waiting;

    public DeadLetterWatch(IDeadLetterStore store, TimeProvider time, ILogger logger)
    {
        _store = store;
        _time = time;
        _logger = new ThrottlingLogger(logger, time, LogInterval);
        Meter.CreateObservableGauge(
            "worker.dead_letters.waiting", Measure, "{message}",
            "Dead letters in the folder that wait to be redriven or deleted, by reason; counted up to 100,000");
        Meter.CreateObservableGauge(
            "worker.dead_letters.oldest_age", MeasureAge, "s", "Time since the oldest dead letter in the folder was written; 0 without one");
    }

    private Meter Meter { get; } = new(RouteMetrics.SourceName);

    /// <summary>The last count; null when it is unknown.</summary>
    public WaitingDeadLetters? Waiting => _waiting;

    /// <summary>Starts to count, and waits a moment for the first result.</summary>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        TaskCompletionSource first = new(TaskCreationOptions.RunContinuationsAsynchronously);

        // On another thread: a store is foreign code, which may block.
        _watching = Task.Run(() => WatchAsync(first), CancellationToken.None);
        await Task.WhenAny(first.Task, Task.Delay(FirstCount, _time, cancellationToken));
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        Meter.Dispose();

        // Not awaited: a disk that hangs would keep the process.
        _ = _watching.ContinueWith(static (_, stop) => ((CancellationTokenSource)stop!).Dispose(), _stop, TaskScheduler.Default);
    }

    /// <summary>The time until the next count.</summary>
    /// <param name="taken">How long the last one took.</param>
    internal static TimeSpan PauseAfter(TimeSpan taken) => taken > MaxPause / Share ? MaxPause : taken > Interval / Share ? taken * Share : Interval;

    private async Task WatchAsync(TaskCompletionSource first)
    {
        while (!_stop.IsCancellationRequested)
        {
            long started = _time.GetTimestamp();
            try
            {
                _waiting = await _store.CountWaitingAsync(_stop.Token);
            }
            catch (Exception) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (Exception exception)
            {
                // A store is foreign code, and a count must not end the worker.
                _waiting = null;
                SafeLog.Try(() => LogFailed(UntrustedText.Shorten(UntrustedText.MessageOf(exception)).TrimEnd('.')));
            }

            first.TrySetResult();
            await Task.Delay(PauseAfter(_time.GetElapsedTime(started)), _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    // Zero as a series without a reason, so that "none" differs from "unknown".
    private IEnumerable<Measurement<long>> Measure() => _waiting is not { } waiting ? []
        : waiting.ByReason.Count == 0 ? [new Measurement<long>(waiting.Count)]
        : waiting.ByReason.Select(static pair => new Measurement<long>(pair.Value, new KeyValuePair<string, object?>("worker.reason", pair.Key)));

    private IEnumerable<Measurement<double>> MeasureAge()
    {
        if (_waiting is { } waiting)
        {
            yield return new Measurement<double>(waiting.OldestAt is { } oldest ? Math.Max(0, (_time.GetUtcNow() - oldest).TotalSeconds) : 0);
        }
    }

    [LoggerMessage(
        5102, LogLevel.Warning,
        "The waiting dead letters cannot be counted ({Error}); the page and worker.dead_letters.waiting do not show them. Check that the folder "
            + "DeadLetters:Path is mounted, and that the worker may read it")]
    private partial void LogFailed(string error);
}

/// <summary>
/// The dead letters of a store that wait until they are redriven or deleted; a state of the store, which a restart of the worker does not change.
/// </summary>
internal sealed record WaitingDeadLetters
{
    /// <summary>How many wait.</summary>
    public required long Count { get; init; }

    /// <summary>True when the store stopped counting at a limit: more than <see cref="Count"/> wait.</summary>
    public bool IsMore { get; init; }

    /// <summary>When the oldest of them was dead-lettered; null without any.</summary>
    public DateTimeOffset? OldestAt { get; init; }

    /// <summary>When the newest of them was dead-lettered; null without any.</summary>
    public DateTimeOffset? NewestAt { get; init; }

    /// <summary>How many wait for each reason; their sum is <see cref="Count"/>.</summary>
    public IReadOnlyDictionary<string, long> ByReason { get; init; } = new Dictionary<string, long>(StringComparer.Ordinal);
}

/// <summary>Section <c>DeadLetters</c>: where dead letters are kept that are in no queue.</summary>
internal sealed class DeadLettersOptions : ISelfValidating
{
    [Setting(
        "Folder for dead letters of sources without a dead-letter queue (Channel, Http, Udp, TcpLines), of single rows of CloudFront logs, and for what "
            + "redrive --to folder moves out of a queue")]
    public string Path { get; set; } = "dead-letters";

    [Setting(
        "Days that a discarded dead letter is kept before it is deleted", Min = "1", Max = "3650", Consequence = "What is deleted cannot be restored.",
        Advanced = true)]
    public int DiscardedDays { get; set; } = 30;

    public void Validate(SettingsCheck check)
    {
        if (Path.Contains('\0', StringComparison.Ordinal))
        {
            check.Fail(nameof(Path), "must be a path without NUL characters.");
        }
    }
}
