using System.Threading.Channels;
using Worker.Aws;
using Worker.Recoverability;
using Worker.Sources.Sqs.Wire;

namespace Worker.Sources.Sqs;

/// <summary>
/// Sends what settled messages need (a delete, or a visibility change) in batches of up to 10: as soon as 10 wait, or after the
/// acknowledge delay. Entries that fail are sent again with the next batch; only they. Bounded: when it is full, settling waits,
/// which holds the slots and so slows receiving.
/// </summary>
internal abstract class SqsBatchLoop
{
    private static readonly Backoff Backoff = new(TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(30));

    private readonly Channel<SqsReceivedMessage> _waiting;
    private readonly TimeSpan _delay;
    private readonly int _maxFailures;
    private readonly int _workers;
    private readonly CancellationTokenSource _stop = new();
    private Task _loops = Task.CompletedTask;
    private volatile bool _closing;

    /// <param name="time">The clock.</param>
    /// <param name="delay">How long a first entry waits for others.</param>
    /// <param name="concurrency">Messages in work at most.</param>
    /// <param name="maxFailures">Failures after which an entry is given up.</param>
    protected SqsBatchLoop(TimeProvider time, TimeSpan delay, int concurrency, int maxFailures)
    {
        Time = time;
        _delay = delay;
        _maxFailures = maxFailures;

        // As many as receive loops, so that acknowledging keeps up with receiving.
        _workers = SqsMessageSource.LoopsFor(concurrency);
        _waiting = Channel.CreateBounded<SqsReceivedMessage>(new BoundedChannelOptions(Math.Max(100, concurrency * 4))
        {
            FullMode = BoundedChannelFullMode.Wait,
            SingleReader = false,
            SingleWriter = false,
        });
    }

    protected TimeProvider Time { get; }

    public void Start(Func<string> queueUrl) => _loops = Task.WhenAll(Enumerable.Range(0, _workers).Select(_ => Task.Run(() => RunAsync(queueUrl))));

    /// <summary>Takes the message over; it comes back through <see cref="Finished"/>.</summary>
    public ValueTask EnqueueAsync(SqsReceivedMessage message) => _waiting.Writer.WriteAsync(message);

    /// <summary>Sends what waits without further delay and ends. What the token cuts off is delivered again by the queue.</summary>
    public async Task CloseAsync(CancellationToken limit)
    {
        _closing = true;
        _waiting.Writer.TryComplete();
        using (limit.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _stop))
        {
            await _loops;
        }
    }

    /// <summary>Sends one batch.</summary>
    /// <param name="queueUrl">The queue.</param>
    /// <param name="batch">1 to 10 messages.</param>
    /// <param name="results">One a message.</param>
    /// <param name="cancellationToken">The end of the source's patience.</param>
    protected abstract ValueTask SendAsync(string queueUrl, List<SqsReceivedMessage> batch, Memory<BatchEntryResult> results, CancellationToken cancellationToken);

    /// <summary>The message's last act: it goes back to the pool.</summary>
    /// <param name="message">The message.</param>
    /// <param name="succeeded">False when it was given up; the queue delivers it again.</param>
    /// <param name="error">Why, for the log.</param>
    protected abstract void Finished(SqsReceivedMessage message, bool succeeded, string? error);

    /// <summary>Entries failed and will be sent again.</summary>
    protected abstract void Failed(int count, string error);

    private async Task RunAsync(Func<string> queueUrl)
    {
        List<SqsReceivedMessage> batch = new(SqsLimits.BatchEntries);
        BatchEntryResult[] results = new BatchEntryResult[SqsLimits.BatchEntries];
        ChannelReader<SqsReceivedMessage> reader = _waiting.Reader;
        int failures = 0;
        while (batch.Count > 0 || await reader.WaitToReadAsync())
        {
            await FillAsync(batch, retrying: failures > 0);
            if (batch.Count == 0)
            {
                continue;
            }

            string? error = await TrySendAsync(queueUrl, batch, results);
            failures = error is null ? 0 : failures + 1;
            if (_stop.IsCancellationRequested)
            {
                batch.ForEach(message => Finished(message, succeeded: false, "the worker stopped"));
                batch.Clear();
            }
            else if (error is not null)
            {
                await Task.Delay(Backoff.After(failures), Time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private async ValueTask FillAsync(List<SqsReceivedMessage> batch, bool retrying)
    {
        Fill(batch);
        if (batch.Count < SqsLimits.BatchEntries && !retrying && !_closing && _delay > TimeSpan.Zero)
        {
            await Task.Delay(_delay, Time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            Fill(batch);
        }
    }

    private void Fill(List<SqsReceivedMessage> batch)
    {
        while (batch.Count < SqsLimits.BatchEntries && _waiting.Reader.TryRead(out SqsReceivedMessage? message))
        {
            batch.Add(message);
        }
    }

    /// <returns>What failed, or null when nothing is left in <paramref name="batch"/> to send again.</returns>
    private async ValueTask<string?> TrySendAsync(Func<string> queueUrl, List<SqsReceivedMessage> batch, BatchEntryResult[] results)
    {
        string? error = null;
        try
        {
            await SendAsync(queueUrl(), batch, results.AsMemory(0, batch.Count), _stop.Token);
        }
        catch (Exception exception) when (exception is AwsServiceException or OperationCanceledException or HttpRequestException)
        {
            error = exception.Message;
            Array.Fill(results, new BatchEntryResult(Succeeded: false, AwsErrorKind.Transient, Detail: exception.Message), 0, batch.Count);
        }

        int kept = 0;
        for (int i = 0; i < batch.Count; i++)
        {
            SqsReceivedMessage message = batch[i];
            BatchEntryResult result = results[i];
            if (result.Succeeded)
            {
                Finished(message, succeeded: true, error: null);
            }
            else if (result.Kind is AwsErrorKind.Invalid or AwsErrorKind.NotFound || ++message.SendFailures >= _maxFailures)
            {
                // A handle that is no longer taken will not be taken later.
                Finished(message, succeeded: false, $"{result.Code} {result.Detail}");
            }
            else
            {
                error ??= $"{result.Code} {result.Detail}";
                batch[kept++] = message;
            }
        }

        batch.RemoveRange(kept, batch.Count - kept);
        if (kept > 0)
        {
            Failed(kept, error ?? "unknown");
        }

        return kept > 0 ? error : null;
    }
}
