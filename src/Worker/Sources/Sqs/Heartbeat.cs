using Pipeline.Buffers;
using Worker.Aws;
using Worker.Sources.Sqs.Wire;
using Worker.Telemetry;

namespace Worker.Sources.Sqs;

/// <summary>
/// Renews the visibility of everything in flight from one timer, in batches of 10, at half the timeout. A renewal that fails is
/// tried again on the next tick; the loop itself never ends before the source closes.
/// </summary>
internal sealed class Heartbeat : IAsyncDisposable
{
    // Fine enough to renew near half of the least timeout (30 s), coarse enough to cost nothing when idle.
    private static readonly TimeSpan Tick = TimeSpan.FromSeconds(1);

    private readonly SqsClient _client;
    private readonly InFlightMessages _messages;
    private readonly SqsSourceOptions _options;
    private readonly TimeProvider _time;
    private readonly SqsSourceLog _log;
    private readonly LogThrottle _throttle;
    private readonly CancellationTokenSource _stop = new();
    private readonly List<DueRenewal> _due = [];
    private readonly VisibilityChange[] _changes = new VisibilityChange[SqsLimits.BatchEntries];
    private readonly BatchEntryResult[] _results = new BatchEntryResult[SqsLimits.BatchEntries];
    private Task _loop = Task.CompletedTask;

    public Heartbeat(SqsClient client, InFlightMessages messages, SqsSourceOptions options, TimeProvider time, SqsSourceLog log)
    {
        _client = client;
        _messages = messages;
        _options = options;
        _time = time;
        _log = log;
        _throttle = new LogThrottle(time, TimeSpan.FromSeconds(10));
    }

    /// <summary>Begins to beat.</summary>
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
                    Failed(exception.Message);
                }
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
        }
    }

    private async ValueTask BeatAsync(Func<string> queueUrl)
    {
        PooledBuffer handles = BufferPool.Shared.Rent(4096);
        try
        {
            _due.Clear();
            int expired = _messages.CollectDue(_due, handles, _options.VisibilityTimeout / 2, _options.MaxHoldTime);
            if (expired > 0)
            {
                _log.HeldTooLong(expired, _options.MaxHoldTime);
            }

            for (int start = 0; start < _due.Count; start += SqsLimits.BatchEntries)
            {
                await RenewAsync(queueUrl(), start, Math.Min(SqsLimits.BatchEntries, _due.Count - start), handles.WrittenMemory);
            }
        }
        finally
        {
            handles.Dispose();
        }
    }

    private async ValueTask RenewAsync(string queueUrl, int start, int count, Memory<byte> handles)
    {
        int seconds = (int)_options.VisibilityTimeout.TotalSeconds;
        for (int i = 0; i < count; i++)
        {
            _changes[i] = new VisibilityChange(HandleOf(start + i, handles), seconds);
        }

        long sentAt = _time.GetTimestamp();
        await _client.ChangeVisibilityBatchAsync(queueUrl, _changes.AsMemory(0, count), _results.AsMemory(0, count), _stop.Token);
        for (int i = 0; i < count; i++)
        {
            ref readonly BatchEntryResult result = ref _results[i];
            if (result.Succeeded)
            {
                _messages.Renewed(_due[start + i].Key, sentAt);
                continue;
            }

            // Gone, or delivered anew: the work is finished all the same, and storing is idempotent.
            if (result.Kind is AwsErrorKind.Invalid or AwsErrorKind.NotFound)
            {
                _messages.Lost(_due[start + i].Key, HandleOf(start + i, handles).Span);
            }

            Failed($"{result.Code} {result.Detail}");
        }
    }

    private ReadOnlyMemory<byte> HandleOf(int index, Memory<byte> handles) => handles.Slice(_due[index].HandleStart, _due[index].HandleLength);

    private void Failed(string error)
    {
        SqsSourceMetrics.RenewFailed();
        if (_throttle.ShouldLog(out long suppressed))
        {
            _log.RenewFailed(error, suppressed);
        }
    }
}
