using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>
/// Renews the visibility of all messages in flight from one timer, in batches of 10, at half the timeout. A failed renewal is retried on
/// the next tick and does not stop others; the loop runs until the source closes.
/// </summary>
internal sealed class Heartbeat : IAsyncDisposable
{
    // 10,000 messages in flight are 1,000 calls: 3 s at 50 ms per call, far below half of the minimum timeout (15 s).
    private const int MaxConcurrentCalls = 16;

    // Fine enough to renew near half of the minimum timeout (30 s), coarse enough to cost nothing when idle.
    private static readonly TimeSpan Tick = TimeSpan.FromSeconds(1);

    private readonly SqsClient _client;
    private readonly InFlightMessages _messages;
    private readonly SqsSourceOptions _options;
    private readonly TimeProvider _time;
    private readonly SqsSourceLog _log;
    private readonly CancellationTokenSource _stop = new();
    private readonly List<DueRenewal> _due = [];
    private Task _loop = Task.CompletedTask;
    private volatile Task _inProgress = Task.CompletedTask;

    public Heartbeat(SqsClient client, InFlightMessages messages, SqsSourceOptions options, TimeProvider time, SqsSourceLog log)
    {
        _client = client;
        _messages = messages;
        _options = options;
        _time = time;
        _log = log;
    }

    /// <summary>
    /// Completes with the current renewals. A visibility change sent before that may reach the queue first: the message would then stay
    /// hidden for the whole timeout.
    /// </summary>
    public Task InProgress => _inProgress;

    public void Start(Func<string> queueUrl) => _loop = Task.Run(() => RunAsync(queueUrl));

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _loop;
        _stop.Dispose();
    }

    private async Task RunAsync(Func<string> queueUrl)
    {
        using PeriodicTimer timer = new(Tick, _time);
        try
        {
            while (await timer.WaitForNextTickAsync(_stop.Token))
            {
                try
                {
                    await BeatAsync(queueUrl);
                }
                catch (Exception exception) when (exception is not OperationCanceledException || !_stop.IsCancellationRequested)
                {
                    Failed(1, exception.Message);
                }
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
        }
    }

    private async ValueTask BeatAsync(Func<string> queueUrl)
    {
        if (_messages.Count == 0)
        {
            return;
        }

        PooledBuffer handles = _client.Buffers.Rent(4096);
        TaskCompletionSource beat = new(TaskCreationOptions.RunContinuationsAsynchronously);

        // Before messages are collected: entries removed later still see this renewal.
        _inProgress = beat.Task;
        try
        {
            _due.Clear();
            int expired = _messages.CollectDue(_due, handles, _options.VisibilityTimeout);
            if (expired > 0)
            {
                _log.NoLongerRenewed(expired);
            }

            if (_due.Count > 0)
            {
                await RenewAllAsync(queueUrl(), handles.WrittenMemory);
            }
        }
        finally
        {
            handles.Dispose();
            beat.SetResult();
        }
    }

    // In parallel: a call that hangs until its deadline must not delay the others.
    private Task RenewAllAsync(string queueUrl, Memory<byte> handles) => Parallel.ForAsync(
        0,
        (_due.Count + SqsLimits.BatchEntries - 1) / SqsLimits.BatchEntries,
        new ParallelOptions { MaxDegreeOfParallelism = MaxConcurrentCalls, CancellationToken = _stop.Token },
        (batch, _) => RenewAsync(queueUrl, batch * SqsLimits.BatchEntries, handles));

    private async ValueTask RenewAsync(string queueUrl, int start, Memory<byte> handles)
    {
        int count = Math.Min(SqsLimits.BatchEntries, _due.Count - start);
        VisibilityChange[] changes = new VisibilityChange[count];
        BatchEntryResult[] results = new BatchEntryResult[count];
        for (int i = 0; i < count; i++)
        {
            changes[i] = new VisibilityChange(HandleOf(start + i, handles), _due[start + i].Seconds);
        }

        long sentAt = _time.GetTimestamp();
        try
        {
            await _client.ChangeVisibilityBatchAsync(queueUrl, changes, results, _stop.Token);
        }
        catch (Exception exception) when (!_stop.IsCancellationRequested)
        {
            Failed(count, exception.Message);
            return;
        }

        for (int i = 0; i < count; i++)
        {
            Guid key = _due[start + i].Key;
            BatchEntryResult result = results[i];
            if (result.Succeeded)
            {
                _messages.Renewed(key, sentAt);
            }
            else if (result.Kind is not (AwsErrorKind.Rejected or AwsErrorKind.Missing) || _messages.TryLose(key, changes[i].ReceiptHandle.Span))
            {
                // Expired or gone: a message in flight is still completed, because storing is idempotent. No failure when it was deleted or
                // redelivered during the call.
                Failed(1, $"{result.Code} {result.Detail}");
            }
        }
    }

    private ReadOnlyMemory<byte> HandleOf(int index, Memory<byte> handles) => handles.Slice(_due[index].HandleStart, _due[index].HandleLength);

    private void Failed(int count, string error)
    {
        SqsSourceMetrics.RenewFailed(_log.Route, count);
        _log.RenewFailed(error);
    }
}

/// <summary>A message whose visibility is due for renewal.</summary>
/// <param name="Key">The message.</param>
/// <param name="HandleStart">Where its handle begins in the collected bytes.</param>
/// <param name="HandleLength">The handle's length in bytes.</param>
/// <param name="Seconds">Its new visibility timeout.</param>
internal readonly record struct DueRenewal(Guid Key, int HandleStart, int HandleLength, int Seconds);
