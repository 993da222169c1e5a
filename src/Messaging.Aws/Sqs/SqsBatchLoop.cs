using System.Diagnostics;
using System.Threading.Channels;
using Messaging.Aws.Sqs.Wire;
using Messaging.Recoverability;
using Messaging.Telemetry;
using Pipeline.Messages;

namespace Messaging.Aws.Sqs;

/// <summary>
/// Sends the deletes or visibility changes of settled messages in batches of up to 10: as soon as 10 wait, or after the acknowledge delay.
/// One worker at a time collects, so that a batch is full before the next begins; workers send in parallel. Only entries that fail are
/// sent again, with the worker's next batch. While it <see cref="IsFull"/>, the source receives nothing.
/// </summary>
internal abstract class SqsBatchLoop
{
    // A worker that pauses after a failure must not delay the acknowledgements of others.
    private const int MinWorkers = 2;

    // Attempts at each entry; more only while they can still be of use.
    private const int MinAttempts = 3;

    // An idle queue must not be reported for ever; one whose messages are redelivered fails again before.
    private static readonly TimeSpan ForgetsAfter = TimeSpan.FromMinutes(10);

    private static readonly Backoff Backoff = new(TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(30));

    private readonly MessageDestination _destination;
    private readonly InFlightMessages _inFlight;
    private readonly Channel<SqsReceivedMessage> _waiting;
    private readonly TimeProvider _time;
    private readonly TimeSpan _delay;
    private readonly int _workers;
    private readonly int _most;
    private readonly SemaphoreSlim _turn = new(1, 1);

    // Used only by the holder of _turn.
    private readonly BatchTimer _batchTimer;
    private readonly CancellationTokenSource _closing = new();
    private readonly CancellationTokenSource _stop = new();
    private Task _loops = Task.CompletedTask;

    // When the sends began to fail; 0 while the last one succeeded.
    private long _failingSince;
    private long _lastFailed;

    /// <summary>An entry waits up to <paramref name="delay"/> for others.</summary>
    protected SqsBatchLoop(MessageDestination destination, InFlightMessages inFlight, TimeProvider time, TimeSpan delay, int concurrency)
    {
        _destination = destination;
        _inFlight = inFlight;
        _time = time;
        _delay = delay;

        _batchTimer = new BatchTimer(time);

        // As many as receive loops, so that acknowledging keeps up with receiving.
        _workers = Math.Max(MinWorkers, SqsMessageSource.LoopsFor(concurrency));
        // Not a bounded channel: a settlement that waits for the queue would look like one that hangs.
        _waiting = Channel.CreateUnbounded<SqsReceivedMessage>();
        _most = Math.Max(100, concurrency * 4);
    }

    /// <summary>True when so many wait that no more should be received; those in flight are still taken.</summary>
    public bool IsFull => _waiting.Reader.Count >= _most;

    /// <summary>How long SQS has accepted no entry, also none of those given up meanwhile; zero while it accepts them, and when none was sent for a while.</summary>
    public TimeSpan FailingFor =>
        Volatile.Read(ref _failingSince) is not 0 and long since && _time.GetElapsedTime(Volatile.Read(ref _lastFailed)) < ForgetsAfter ? _time.GetElapsedTime(since) : TimeSpan.Zero;

    protected TimeProvider Time => _time;

    protected InFlightMessages InFlight => _inFlight;

    public void Start(Func<string> queueUrl) => _loops = Task.WhenAll(Enumerable.Range(0, _workers).Select(_ => Task.Run(() => RunAsync(queueUrl))));

    /// <summary>Takes ownership of the message until <see cref="Finished"/>. Never throws.</summary>
    public void Enqueue(SqsReceivedMessage message)
    {
        if (!_waiting.Writer.TryWrite(message))
        {
            GiveUp(message);
        }
        else if (_batchTimer.Needed is > 0 and int needed && _waiting.Reader.Count >= needed)
        {
            _batchTimer.End();
        }
    }

    /// <summary>Sends the waiting entries without delay and ends. Messages that are not sent when the token ends are redelivered. May be called again.</summary>
    public async Task CloseAsync(CancellationToken limit)
    {
        _waiting.Writer.TryComplete();
        await _closing.CancelAsync();
        _batchTimer.End();
        using (limit.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _stop))
        {
            await _loops;
        }

        _batchTimer.Dispose();
    }

    /// <summary>Sends one batch of 1 to 10 messages and fills in its results; cancelled when the time for closing has ended.</summary>
    protected abstract ValueTask SendAsync(string queueUrl, SqsBatch batch, CancellationToken cancellationToken);

    /// <summary>True while another attempt can still be of use to a message that has failed three times.</summary>
    protected abstract bool IsWorthRetrying(SqsReceivedMessage message);

    /// <summary>The message is no longer in flight: returns its object to the pool. Without success it was given up, and the queue redelivers it.</summary>
    protected abstract void Finished(SqsReceivedMessage message, bool succeeded, string? error);

    /// <summary>Entries failed and will be retried.</summary>
    protected abstract void Failed(int count, string error);

    private async Task RunAsync(Func<string> queueUrl)
    {
        SqsBatch batch = new();
        int failures = 0;
        while (batch.Count > 0 || await CollectAsync(batch))
        {
            // Fills the batch up: it may hold entries that failed before.
            Fill(batch);
            if (batch.Count == 0)
            {
                continue;
            }

            bool progress = await TrySendAsync(queueUrl, batch);
            if (_stop.IsCancellationRequested)
            {
                for (int i = 0; i < batch.Count; i++)
                {
                    GiveUp(batch[i]);
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
    private async ValueTask<bool> CollectAsync(SqsBatch batch)
    {
        await _turn.WaitAsync();
        try
        {
            if (!await _waiting.Reader.WaitToReadAsync())
            {
                return false;
            }

            Fill(batch);
            if (!batch.IsFull && batch.Count > 0 && _delay > TimeSpan.Zero)
            {
                await WaitForBatchAsync(batch);
            }

            return true;
        }
        finally
        {
            _turn.Release();
        }
    }

    private async ValueTask WaitForBatchAsync(SqsBatch batch)
    {
        int needed = SqsLimits.BatchEntries - batch.Count;
        ValueTask gathered = _batchTimer.BeginAsync(needed, _delay);

        // Entries that were added before the wait started ended no wait; after closing no more are added.
        if (_waiting.Reader.Count >= needed || _closing.IsCancellationRequested)
        {
            _batchTimer.End();
        }

        await gathered;
        Fill(batch);
    }

    private void Fill(SqsBatch batch)
    {
        while (!batch.IsFull && _waiting.Reader.TryRead(out SqsReceivedMessage? message))
        {
            batch.Add(message);
        }
    }

    /// <summary>Sends the batch; entries to be retried stay in it.</summary>
    /// <returns>True when the service has decided about at least one entry.</returns>
    private async ValueTask<bool> TrySendAsync(Func<string> queueUrl, SqsBatch batch)
    {
        _inFlight.CopyHandles(batch);
        try
        {
            await (MessageSpans.IsListening ? SendTracedAsync(queueUrl(), batch) : SendAsync(queueUrl(), batch, _stop.Token));
        }
        catch (Exception exception)
        {
            // Any exception: if the worker ended, later messages would stay unacknowledged.
            (string code, string detail) = exception is AwsServiceException aws ? (aws.Code, aws.Detail) : (exception.GetType().Name, exception.Message);
            batch.Results.Span.Fill(new BatchEntryResult(Succeeded: false, AwsErrorKind.Transient, code, detail));
        }

        return Sort(batch);
    }

    private async ValueTask SendTracedAsync(string queueUrl, SqsBatch batch)
    {
        Activity? span = MessageSpans.StartSettleBatch(_destination, [.. Enumerable.Range(0, batch.Count).Select(i => batch[i].Span)]);
        try
        {
            await SendAsync(queueUrl, batch, _stop.Token);
            if (batch.FirstFailure is { } failure)
            {
                MessageSpans.Fail(span, failure.Code ?? "_OTHER", failure.Detail);
            }
        }
        catch (AwsServiceException exception)
        {
            MessageSpans.Fail(span, exception.Code, exception.Message);
            throw;
        }
        finally
        {
            MessageSpans.End(span);
        }
    }

    private bool Sort(SqsBatch batch)
    {
        bool progress = false;
        Span<bool> isOver = stackalloc bool[SqsLimits.BatchEntries];
        for (int i = 0; i < batch.Count; i++)
        {
            // A handle that is no longer accepted will not be accepted later.
            bool isDecided = batch.Results.Span[i] is { Succeeded: true } or { Kind: AwsErrorKind.Invalid or AwsErrorKind.NotFound };
            progress |= isDecided;
            isOver[i] = isDecided || (++batch[i].SendFailures >= MinAttempts && !IsWorthRetrying(batch[i]));
        }

        _inFlight.Finish(batch, isOver);
        int kept = 0;
        string? error = null;
        for (int i = 0; i < batch.Count; i++)
        {
            SqsReceivedMessage message = batch[i];
            BatchEntryResult result = batch.Results.Span[i];
            string? failure = result.Succeeded ? null : $"{result.Code} {result.Detail}";
            if (isOver[i])
            {
                Finished(message, result.Succeeded, failure);
                continue;
            }

            // Also when it was redelivered meanwhile: only the newest handle counts.
            error ??= failure;
            batch[kept++] = message;
        }

        batch.Truncate(kept);
        if (error is not null && !_stop.IsCancellationRequested)
        {
            Failed(kept, error);
        }

        return progress;
    }

    private void GiveUp(SqsReceivedMessage message)
    {
        _inFlight.Remove(message);
        Finished(message, succeeded: false, "the worker stopped");
    }

    private async ValueTask PauseAsync(int failures)
    {
        // While the loop closes, failed entries are retried soon: little time is left.
        bool closing = _closing.IsCancellationRequested;
        TimeSpan pause = Backoff.After(closing ? 1 : failures);
        await Task.Delay(pause, _time, closing ? _stop.Token : _closing.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
