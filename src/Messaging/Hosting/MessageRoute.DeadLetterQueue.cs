using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Hosting;

/// <content>Counts what waits in the dead-letter queues of the sources.</content>
internal sealed partial class MessageRoute
{
    /// <summary>The time between two counts.</summary>
    internal static readonly TimeSpan CountInterval = TimeSpan.FromMinutes(1);

    private static readonly TimeSpan CountLimit = TimeSpan.FromSeconds(30);

    // A right that is missing is no fault of the route.
    private static readonly TimeSpan CountLogInterval = TimeSpan.FromHours(6);

    private const long Unknown = -1;

    private readonly LogThrottle _countLog;
    private long _inDeadLetterQueue = Unknown;

    // While it waits for the next count.
    private CancellationTokenSource? _untilCount;

    /// <summary>Messages in the dead-letter queues of its sources at the last count; null when it is unknown.</summary>
    private long? InDeadLetterQueue => Volatile.Read(ref _inDeadLetterQueue) is var count and not Unknown ? count : null;

    /// <summary>Ends the wait for the next count.</summary>
    public void CountDeadLettersNow()
    {
        lock (_countLog)
        {
            _untilCount?.Cancel();
        }
    }

    private async Task KeepCountingDeadLettersAsync()
    {
        while (!_stopReceiving.IsCancellationRequested)
        {
            Volatile.Write(ref _inDeadLetterQueue, await CountDeadLettersAsync() ?? Unknown);
            using CancellationTokenSource wait = CancellationTokenSource.CreateLinkedTokenSource(_stopReceiving.Token);
            SetWait(wait);
            await Task.Delay(CountInterval, _time, wait.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            SetWait(null);
        }
    }

    private void SetWait(CancellationTokenSource? wait)
    {
        lock (_countLog)
        {
            _untilCount = wait;
        }
    }

    private async Task<long?> CountDeadLettersAsync()
    {
        using CancellationTokenSource limit = new(CountLimit, _time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, _stopReceiving.Token);
        try
        {
            long? total = null;
            foreach (SourceRunner inlet in _inlets.Where(inlet => inlet.Plan.CountsDeadLetters))
            {
                // A source is foreign code, which may ignore the token.
                if (await inlet.Source.CountDeadLettersAsync(either.Token).AsTask().WaitAsync(either.Token) is { } count)
                {
                    total = (total ?? 0) + count;
                }
            }

            return total;
        }
        catch (Exception exception)
        {
            if (!_stopReceiving.IsCancellationRequested)
            {
                string error = limit.IsCancellationRequested
                    ? $"no answer within {DurationText.Of(CountLimit)}"
                    : UntrustedText.Shorten(UntrustedText.MessageOf(exception)).TrimEnd('.');
                if (_countLog.ShouldLog(out SuppressedLines suppressed))
                {
                    SafeLog.Try(() => LogNotCounted(Name, error, suppressed));
                }
            }

            return null;
        }
    }

    [LoggerMessage(
        5104, LogLevel.Warning,
        "Route {Route}: the messages in its dead-letter queue cannot be counted ({Error}); the page and worker.dead_letter_queue.messages do not show them. "
            + "Nothing else needs this right (docs/guides/dead-letters.md){Suppressed}")]
    private partial void LogNotCounted(string route, string error, SuppressedLines suppressed);
}
