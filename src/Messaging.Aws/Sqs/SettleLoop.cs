using System.Diagnostics;
using System.Threading.Channels;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>
/// Deletes or abandons settled messages in batches of up to 10: as soon as 10 wait, or after the delay. One worker at a time collects, so
/// that a batch is full before the next begins; workers send in parallel. Only entries that fail are sent again, with the worker's next
/// batch. While it <see cref="IsFull"/>, the source receives nothing. A delete is retried while the heartbeat renews its message, because a
/// lost delete causes a redelivery. Abandoning changes the invisibility; if that fails, the message is redelivered when its visibility
/// timeout ends. Until then a call that sets a delay is retried, because a redelivery at that time would ignore the delay.
/// </summary>
internal sealed class SettleLoop
{
    // A worker that pauses after a failure must not delay the acknowledgements of others.
    private const int MinWorkers = 2;

    // Attempts at each entry; more only while they can still be of use.
    private const int MinAttempts = 3;

    // An idle queue must not be reported for ever; one whose messages are redelivered fails again before.
    private static readonly TimeSpan ForgetsAfter = TimeSpan.FromMinutes(10);

    // A redelivery delay counts from the call, so the call must not wait long; this suffices for the rest of a group or of a batch.
    private static readonly TimeSpan AbandonDelay = TimeSpan.FromMilliseconds(10);

    // A renewal takes milliseconds; one that hangs must not use up the time for abandoning messages during a shutdown.
    private static readonly TimeSpan MaxRenewalWait = TimeSpan.FromSeconds(2);

    private static readonly Backoff Backoff = new(TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(30));

    private readonly bool _deletes;
    private readonly SqsClient _client;
    private readonly SqsMessageSource _source;
    private readonly MessageDestination _destination;
    private readonly InFlightMessages _inFlight;
    private readonly Heartbeat _heartbeat;
    private readonly SqsSourceLog _log;
    private readonly TimeProvider _time;
    private readonly TimeSpan _visibilityTimeout;
    private readonly TimeSpan _delay;
    private readonly int _workers;
    private readonly int _maxWaiting;

    // Not a bounded channel: a settlement that waits for the queue would look like one that hangs.
    private readonly Channel<SqsReceivedMessage> _waiting = Channel.CreateUnbounded<SqsReceivedMessage>();
    private readonly SemaphoreSlim _collecting = new(1, 1);

    // The holder of _collecting waits for _batchEnd while _missing is not 0. One timer and one wake-up per batch: per entry they cost more than it.
    private readonly SemaphoreSlim _batchEnd = new(0, 1);
    private readonly ITimer _timer;
    private readonly CancellationTokenSource _closing = new();
    private readonly CancellationTokenSource _stop = new();
    private int _missing;
    private Task _loops = Task.CompletedTask;

    // When the sends began to fail; 0 while the last one succeeded.
    private long _failingSince;
    private long _lastFailed;

    /// <summary><paramref name="deletes"/>: true for the loop that deletes, false for the one that abandons.</summary>
    public SettleLoop(
        bool deletes, SqsClient client, SqsMessageSource source, MessageDestination destination, InFlightMessages inFlight, Heartbeat heartbeat,
        SqsSourceOptions options, TimeProvider time, int concurrency, SqsSourceLog log)
    {
        _deletes = deletes;
        _client = client;
        _source = source;
        _destination = destination;
        _inFlight = inFlight;
        _heartbeat = heartbeat;
        _log = log;
        _time = time;
        _visibilityTimeout = options.VisibilityTimeout;
        _delay = deletes ? options.AcknowledgeDelay : AbandonDelay;

        // As many as receive loops, so that acknowledging keeps up with receiving.
        _workers = Math.Max(MinWorkers, SqsMessageSource.LoopsFor(concurrency));
        _maxWaiting = Math.Max(100, concurrency * 4);
        _timer = time.CreateTimer(static loop => ((SettleLoop)loop!).EndBatch(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>True when so many wait that no more should be received; those in flight are still taken.</summary>
    public bool IsFull => _waiting.Reader.Count >= _maxWaiting;

    /// <summary>
    /// How long SQS has accepted no entry, also none of those given up meanwhile; zero while it accepts them, and when none was sent for a while.
    /// </summary>
    public TimeSpan FailingFor =>
        Volatile.Read(ref _failingSince) is not 0 and long since && _time.GetElapsedTime(Volatile.Read(ref _lastFailed)) < ForgetsAfter
            ? _time.GetElapsedTime(since)
            : TimeSpan.Zero;

    public void Start(Func<string> queueUrl) => _loops = Task.WhenAll(Enumerable.Range(0, _workers).Select(_ => Task.Run(() => RunAsync(queueUrl))));

    /// <summary>Takes ownership of the message until its settlement is over. Never throws.</summary>
    public void Enqueue(SqsReceivedMessage message)
    {
        if (!_waiting.Writer.TryWrite(message))
        {
            GiveUp(message);
        }
        else if (Volatile.Read(ref _missing) is > 0 and int missing && _waiting.Reader.Count >= missing)
        {
            EndBatch();
        }
    }

    /// <summary>
    /// Sends the waiting entries without delay and ends. Messages that are not sent when the token ends are redelivered. May be called again.
    /// </summary>
    public async Task CloseAsync(CancellationToken limit)
    {
        _waiting.Writer.TryComplete();
        await _closing.CancelAsync();
        EndBatch();
        using (limit.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _stop))
        {
            await _loops;
        }

        await _timer.DisposeAsync();
    }

    private async Task RunAsync(Func<string> queueUrl)
    {
        Batch batch = new();
        int failures = 0;
        while (batch.Count > 0 || await CollectAsync(batch))
        {
            // Fills the batch up: it may hold entries that failed before.
            Fill(batch);
            if (batch.Count == 0)
            {
                continue;
            }

            bool progress = await SendAsync(queueUrl, batch);
            if (_stop.IsCancellationRequested)
            {
                foreach (SqsReceivedMessage message in batch.Messages)
                {
                    GiveUp(message);
                }

                batch.Truncate(0);
            }

            if (progress)
            {
                Volatile.Write(ref _failingSince, 0);
            }
            else
            {
                long now = _time.GetTimestamp();
                Volatile.Write(ref _lastFailed, now);
                Interlocked.CompareExchange(ref _failingSince, now, 0);
            }

            failures = progress ? 0 : failures + 1;
            if (batch.Count > 0)
            {
                await PauseAsync(Math.Max(1, failures));
            }
        }
    }

    /// <returns>False when the loop is closed and nothing waits.</returns>
    private async ValueTask<bool> CollectAsync(Batch batch)
    {
        await _collecting.WaitAsync();
        try
        {
            if (!await _waiting.Reader.WaitToReadAsync())
            {
                return false;
            }

            Fill(batch);
            if (batch.Count is > 0 and < SqsLimits.BatchEntries && _delay > TimeSpan.Zero)
            {
                int missing = SqsLimits.BatchEntries - batch.Count;
                Interlocked.Exchange(ref _missing, missing);
                _timer.Change(_delay, Timeout.InfiniteTimeSpan);

                // Entries that were added before the wait started ended no wait; after closing no more are added.
                if (_waiting.Reader.Count >= missing || _closing.IsCancellationRequested)
                {
                    EndBatch();
                }

                await _batchEnd.WaitAsync();
                Fill(batch);
            }

            return true;
        }
        finally
        {
            _collecting.Release();
        }
    }

    // Once per wait. A timer that fires late may end the next wait: its batch is then sent early.
    private void EndBatch()
    {
        if (Interlocked.Exchange(ref _missing, 0) != 0)
        {
            _batchEnd.Release();
        }
    }

    private void Fill(Batch batch)
    {
        while (batch.Count < SqsLimits.BatchEntries && _waiting.Reader.TryRead(out SqsReceivedMessage? message))
        {
            batch.Add(message);
        }
    }

    /// <summary>Sends the batch; entries to be retried stay in it.</summary>
    /// <returns>True when the service has decided about at least one entry.</returns>
    private async ValueTask<bool> SendAsync(Func<string> queueUrl, Batch batch)
    {
        Activity? span =
            MessageSpans.IsListening ? MessageSpans.StartSettleBatch(_destination, [.. batch.Messages.ToArray().Select(message => message.Span)]) : null;
        string? description = null;
        _inFlight.CopyHandles(batch.Messages, batch.Handles.Span);
        try
        {
            await (_deletes ? _client.DeleteBatchAsync(queueUrl(), batch.Handles, batch.Results, _stop.Token) : AbandonAsync(queueUrl(), batch));
        }
        catch (Exception exception)
        {
            // Any exception: if the worker ended, later messages would stay unacknowledged.
            (string code, string detail) = exception is AwsServiceException aws ? (aws.Code, aws.Detail) : (exception.GetType().Name, exception.Message);
            batch.Results.Span.Fill(new BatchEntryResult(Succeeded: false, AwsErrorKind.Transient, code, detail));
            description = exception.Message;
        }

        if (span is not null && batch.Results.ToArray().FirstOrDefault(result => !result.Succeeded) is { Code: { } error } failure)
        {
            MessageSpans.Fail(span, error, description ?? failure.Detail);
        }

        MessageSpans.End(span);
        return Sort(batch);
    }

    private async ValueTask AbandonAsync(string queueUrl, Batch batch)
    {
        await _heartbeat.InProgress.WaitAsync(MaxRenewalWait, _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        VisibilityChange[] changes = new VisibilityChange[batch.Count];
        for (int i = 0; i < changes.Length; i++)
        {
            changes[i] = new VisibilityChange(batch.Handles.Span[i], SecondsOf(batch.Messages[i]));
        }

        await _client.ChangeVisibilityBatchAsync(queueUrl, changes, batch.Results, _stop.Token);
    }

    // The first call asks for the whole delay, later ones for the rest of it.
    private int SecondsOf(SqsReceivedMessage message)
    {
        int waited = message.SendFailures == 0 ? 0 : (int)_time.GetElapsedTime(message.AbandonedAt).TotalSeconds;
        return Math.Clamp(message.RedeliveryDelaySeconds - waited, 0, SqsLimits.VisibilityLeft(_inFlight.AgeOf(message)));
    }

    private bool Sort(Batch batch)
    {
        bool progress = false;
        Span<bool> isOver = stackalloc bool[batch.Count];
        for (int i = 0; i < isOver.Length; i++)
        {
            // A handle that is no longer accepted will not be accepted later.
            bool isDecided = batch.Results.Span[i] is { Succeeded: true } or { Kind: AwsErrorKind.Rejected or AwsErrorKind.Missing };
            progress |= isDecided;
            isOver[i] = isDecided || (++batch.Messages[i].SendFailures >= MinAttempts && !IsWorthRetrying(batch.Messages[i]));
        }

        _inFlight.Finish(batch.Messages, batch.Handles.Span, isOver);
        int kept = 0;
        string? error = null;
        for (int i = 0; i < isOver.Length; i++)
        {
            BatchEntryResult result = batch.Results.Span[i];
            string? failure = result.Succeeded ? null : $"{result.Code} {result.Detail}";
            if (isOver[i])
            {
                End(batch.Messages[i], failure);
                continue;
            }

            // Also when it was redelivered meanwhile: only the newest handle counts.
            error ??= failure;
            batch.Messages[kept++] = batch.Messages[i];
        }

        batch.Truncate(kept);
        if (error is not null && !_stop.IsCancellationRequested)
        {
            ReportFailure(kept, error);
        }

        return progress;
    }

    // True while another attempt can be of use. An abandoned message is no longer renewed, so its current visibility ends by itself.
    private bool IsWorthRetrying(SqsReceivedMessage message) =>
        _deletes ? _inFlight.IsRenewed(message) : message.RedeliveryDelaySeconds > 0 && _time.GetElapsedTime(message.RenewedAt) < _visibilityTimeout;

    private void GiveUp(SqsReceivedMessage message)
    {
        _inFlight.Remove(message);
        End(message, "the worker stopped");
    }

    /// <summary>The message is no longer in flight: returns its object to the pool. With an error it was given up, and the queue redelivers it.</summary>
    private void End(SqsReceivedMessage message, string? error)
    {
        if (error is not null && _deletes)
        {
            _log.DeleteGivenUp(error);
        }
        else if (error is not null)
        {
            _log.AbandonGivenUp(error);
        }

        _source.Recycle(message);
    }

    private void ReportFailure(int count, string error)
    {
        if (_deletes)
        {
            SqsSourceMetrics.DeleteFailed(_log.Route, count);
            _log.DeleteFailed(count, error);
        }
        else
        {
            _log.AbandonFailed(count, error);
        }
    }

    private async ValueTask PauseAsync(int failures)
    {
        // While the loop closes, failed entries are retried soon: little time is left.
        bool closing = _closing.IsCancellationRequested;
        TimeSpan pause = Backoff.After(closing ? 1 : failures);
        await Task.Delay(pause, _time, closing ? _stop.Token : _closing.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>The messages of one call, with their handles and results; reused by its worker.</summary>
    private sealed class Batch
    {
        private readonly SqsReceivedMessage[] _messages = new SqsReceivedMessage[SqsLimits.BatchEntries];
        private readonly ReadOnlyMemory<byte>[] _handles = new ReadOnlyMemory<byte>[SqsLimits.BatchEntries];
        private readonly BatchEntryResult[] _results = new BatchEntryResult[SqsLimits.BatchEntries];

        public int Count { get; private set; }

        public Span<SqsReceivedMessage> Messages => _messages.AsSpan(0, Count);

        public Memory<ReadOnlyMemory<byte>> Handles => _handles.AsMemory(0, Count);

        public Memory<BatchEntryResult> Results => _results.AsMemory(0, Count);

        public void Add(SqsReceivedMessage message) => _messages[Count++] = message;

        /// <summary>Keeps the first messages; clears the others and all handles.</summary>
        public void Truncate(int count)
        {
            Array.Clear(_messages, count, Count - count);
            Array.Clear(_handles);
            Count = count;
        }
    }
}
