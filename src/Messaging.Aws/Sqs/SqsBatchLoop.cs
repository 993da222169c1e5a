using System.Diagnostics;
using System.Threading.Channels;
using Messaging.Aws.Sqs.Wire;
using Messaging.Recoverability;
using Messaging.Telemetry;
using Pipeline.Messages;

namespace Messaging.Aws.Sqs;

/// <summary>
/// Sends what settled messages need (a delete, or a visibility change) in batches of up to 10: as soon as 10 wait, or after the
/// acknowledge delay. Workers collect in turns, so that one batch is full before the next begins, and send side by side. Entries
/// that fail are sent again with the worker's next batch; only they. Bounded: when it is full, settling waits, which holds the
/// slots and so slows receiving.
/// </summary>
internal abstract class SqsBatchLoop
{
    // One worker that waits out a failure must not keep the acknowledgements of others waiting.
    private const int MinWorkers = 2;

    private static readonly Backoff Backoff = new(TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(30));

    private readonly MessageDestination _destination;
    private readonly InFlightMessages _inFlight;
    private readonly Channel<SqsReceivedMessage> _waiting;
    private readonly TimeProvider _time;
    private readonly TimeSpan _delay;
    private readonly int _maxFailures;
    private readonly int _workers;
    private readonly SemaphoreSlim _turn = new(1, 1);

    // Its user has the turn.
    private readonly Gathering _gathering;
    private readonly CancellationTokenSource _closing = new();
    private readonly CancellationTokenSource _stop = new();
    private Task _loops = Task.CompletedTask;

    /// <param name="destination">The queue, for spans.</param>
    /// <param name="inFlight">Knows the newest handles.</param>
    /// <param name="time">The clock.</param>
    /// <param name="delay">How long a first entry waits for others.</param>
    /// <param name="concurrency">Messages in work at most.</param>
    /// <param name="maxFailures">Failures after which an entry is given up.</param>
    protected SqsBatchLoop(MessageDestination destination, InFlightMessages inFlight, TimeProvider time, TimeSpan delay, int concurrency, int maxFailures)
    {
        _destination = destination;
        _inFlight = inFlight;
        _time = time;
        _delay = delay;
        _maxFailures = maxFailures;

        _gathering = new Gathering(time);

        // As many as receive loops, so that acknowledging keeps up with receiving.
        _workers = Math.Max(MinWorkers, SqsMessageSource.LoopsFor(concurrency));
        _waiting = Channel.CreateBounded<SqsReceivedMessage>(new BoundedChannelOptions(Math.Max(100, concurrency * 4))
        {
            FullMode = BoundedChannelFullMode.Wait,
            SingleReader = false,
            SingleWriter = false,
        });
    }

    protected TimeProvider Time => _time;

    public void Start(Func<string> queueUrl) => _loops = Task.WhenAll(Enumerable.Range(0, _workers).Select(_ => Task.Run(() => RunAsync(queueUrl))));

    /// <summary>Takes the message over; it comes back through <see cref="Finished"/>. Never throws.</summary>
    public ValueTask EnqueueAsync(SqsReceivedMessage message)
    {
        if (!_waiting.Writer.TryWrite(message))
        {
            return WaitToEnqueueAsync(message);
        }

        if (_gathering.Needed is > 0 and int needed && _waiting.Reader.Count >= needed)
        {
            _gathering.End();
        }

        return default;
    }

    /// <summary>Sends what waits without further delay and ends. What the token cuts off is delivered again by the queue. May be called again.</summary>
    public async Task CloseAsync(CancellationToken limit)
    {
        _waiting.Writer.TryComplete();
        await _closing.CancelAsync();
        _gathering.End();
        using (limit.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _stop))
        {
            await _loops;
        }

        _gathering.Dispose();
    }

    /// <summary>Sends one batch and fills in its results.</summary>
    /// <param name="queueUrl">The queue.</param>
    /// <param name="batch">1 to 10 messages and their handles.</param>
    /// <param name="cancellationToken">The end of the source's patience.</param>
    protected abstract ValueTask SendAsync(string queueUrl, SqsBatch batch, CancellationToken cancellationToken);

    /// <summary>The message's last act: it is returned to the pool.</summary>
    /// <param name="message">The message.</param>
    /// <param name="succeeded">False when it was given up; the queue delivers it again.</param>
    /// <param name="error">Why, for the log.</param>
    protected abstract void Finished(SqsReceivedMessage message, bool succeeded, string? error);

    /// <summary>Entries failed and will be sent again.</summary>
    protected abstract void Failed(int count, string error);

    private async ValueTask WaitToEnqueueAsync(SqsReceivedMessage message)
    {
        try
        {
            await _waiting.Writer.WriteAsync(message);
        }
        catch (ChannelClosedException)
        {
            GiveUp(message);
        }
    }

    private async Task RunAsync(Func<string> queueUrl)
    {
        SqsBatch batch = new();
        int failures = 0;
        while (batch.Count > 0 || await CollectAsync(batch))
        {
            // Beside what failed before there is room for more.
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
                await WaitForCompanyAsync(batch);
            }

            return true;
        }
        finally
        {
            _turn.Release();
        }
    }

    private async ValueTask WaitForCompanyAsync(SqsBatch batch)
    {
        int needed = SqsLimits.BatchEntries - batch.Count;
        ValueTask gathered = _gathering.BeginAsync(needed, _delay);

        // What came before the wait began has woken no waiter; once the loop closes nothing more can come.
        if (_waiting.Reader.Count >= needed || _closing.IsCancellationRequested)
        {
            _gathering.End();
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

    /// <summary>Sends the batch; what is to be sent again stays in it.</summary>
    /// <returns>True when the service took anything.</returns>
    private async ValueTask<bool> TrySendAsync(Func<string> queueUrl, SqsBatch batch)
    {
        for (int i = 0; i < batch.Count; i++)
        {
            batch.Handles.Span[i] = _inFlight.HandleOf(batch[i]);
        }

        try
        {
            await (MessageSpans.IsListening ? SendTracedAsync(queueUrl(), batch) : SendAsync(queueUrl(), batch, _stop.Token));
        }
        catch (Exception exception)
        {
            // Whatever it was: a worker that ended would leave every later message unacknowledged.
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
        int kept = 0;
        bool progress = false;
        string? error = null;
        for (int i = 0; i < batch.Count; i++)
        {
            SqsReceivedMessage message = batch[i];
            BatchEntryResult result = batch.Results.Span[i];
            progress |= result.Succeeded;
            string? failure = result.Succeeded ? null : $"{result.Code} {result.Detail}";

            // A handle that is no longer taken will not be taken later.
            bool isOver = result.Succeeded || result.Kind is AwsErrorKind.Invalid or AwsErrorKind.NotFound || ++message.SendFailures >= _maxFailures;
            if (isOver && _inFlight.TryFinish(message, batch.Handles.Span[i]))
            {
                Finished(message, result.Succeeded, failure);
                continue;
            }

            // Also when it was delivered again meanwhile: only the newest handle counts, whatever became of the older.
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

    private void GiveUp(SqsReceivedMessage message) => Finished(message, succeeded: false, "the worker stopped");

    private async ValueTask PauseAsync(int failures)
    {
        // What fails while the loop closes is tried again soon: there is little time left.
        bool closing = _closing.IsCancellationRequested;
        TimeSpan pause = Backoff.After(closing ? 1 : failures);
        await Task.Delay(pause, _time, closing ? _stop.Token : _closing.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
