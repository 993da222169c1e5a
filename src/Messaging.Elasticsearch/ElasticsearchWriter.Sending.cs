using System.Runtime.ExceptionServices;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Elasticsearch;

/// <content>The batches in flight and their results.</content>
internal sealed partial class ElasticsearchWriter
{
    private readonly Lock _lock = new();
    private readonly CancellationTokenSource _stop = new();

    // Rejections are reported one at a time, even when several batches end together.
    private readonly SemaphoreSlim _reporting = new(1);

    // Guarded by _lock; updated when a batch ends.
    private int _pending;
    private int _doubting;
    private bool _sendsMore = true;
    private bool _isBlocked;
    private TaskCompletionSource? _idle;
    private TaskCompletionSource? _nextEnd;
    private long _created;
    private long _existing;
    private long _rejected;

    // Stored until a batch fails.
    private SinkResult _failure = SinkResult.Stored;
    private Exception? _exception;

    private bool HasFailed
    {
        get
        {
            lock (_lock)
            {
                return _exception is not null || _failure.Status != SinkStatus.Stored;
            }
        }
    }

    /// <summary>Starts sending a batch, which must already hold a permit of the sink.</summary>
    private void Start(DocumentBatch batch, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            _pending++;
        }

        _ = SendAsync(batch, cancellationToken);
    }

    /// <summary>Never throws: the result and any exception are kept for <see cref="CompleteAsync"/>.</summary>
    private async Task SendAsync(DocumentBatch batch, CancellationToken cancellationToken)
    {
        SinkResult result = default;
        Exception? exception = null;
        try
        {
            using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token, cancellationToken);
            result = await _sink.SendAsync(batch, either.Token);
            if (result.Status == SinkStatus.Stored && batch.Doubt is { } doubt && !await AcceptsOthersAsync(batch, either.Token))
            {
                result = _sink.Refuse(doubt);
            }
            else if (result.Status == SinkStatus.Stored && batch.Rejected.Count > 0)
            {
                await ReportRejectedAsync(batch, either.Token);
                _sink.CountRejected(batch);
            }
        }
        catch (Exception caught)
        {
            exception = caught;
        }

        End(batch, result, exception);
    }

    /// <summary>
    /// Waits until Elasticsearch has accepted a document of this message; false when none is left that could show it: the message has ended, or
    /// its next batch waits for a permit while every batch in flight is in doubt.
    /// </summary>
    private async Task<bool> AcceptsOthersAsync(DocumentBatch batch, CancellationToken cancellationToken)
    {
        bool isWaiting = false;
        while (true)
        {
            Task nextEnd;
            lock (_lock)
            {
                _doubting += isWaiting ? 0 : 1;
                isWaiting = true;
                bool isAccepted = batch.Created + batch.Existing + _created + _existing > 0;
                if (isAccepted || (_doubting == _pending && (!_sendsMore || _isBlocked)))
                {
                    _doubting--;
                    return isAccepted;
                }

                nextEnd = (_nextEnd ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
            }

            // A writer that is stopped cancels all its batches, so the count of those that doubt no longer matters.
            await nextEnd.WaitAsync(cancellationToken);
        }
    }

    private async Task ReportRejectedAsync(DocumentBatch batch, CancellationToken cancellationToken)
    {
        await _reporting.WaitAsync(cancellationToken);
        try
        {
            foreach (RejectedDocument rejected in batch.Rejected)
            {
                DocumentRejection rejection =
                    new(batch.IdOf(rejected.Document), batch.JsonOf(rejected.Document), rejected.Status, rejected.Type, rejected.Reason);
                await _rejections.RejectAsync(rejection, cancellationToken);
            }
        }
        finally
        {
            _reporting.Release();
        }
    }

    private void End(DocumentBatch batch, in SinkResult result, Exception? exception)
    {
        long created = batch.Created;
        long existing = batch.Existing;
        long rejected = exception is null && result.Status == SinkStatus.Stored ? batch.Rejected.Count : 0;
        _sink.Return(batch);
        _sink.Leave();
        lock (_lock)
        {
            _created += created;
            _existing += existing;
            _rejected += rejected;
            _exception ??= exception;
            if (_failure.Status == SinkStatus.Stored)
            {
                _failure = result;
            }

            WakeDoubts();
            if (--_pending == 0)
            {
                _idle?.TrySetResult();
                _idle = null;
            }
        }
    }

    // Under the lock.
    private void WakeDoubts()
    {
        _nextEnd?.TrySetResult();
        _nextEnd = null;
    }

    /// <summary>Gets a permit for the next batch. While it waits, batches in doubt, which keep theirs, must not wait for that batch.</summary>
    private async ValueTask EnterAsync(CancellationToken cancellationToken)
    {
        Task entering = _sink.EnterAsync(cancellationToken);
        if (!entering.IsCompleted)
        {
            SetBlocked(true);
        }

        try
        {
            await entering;
        }
        finally
        {
            SetBlocked(false);
        }
    }

    private void SetBlocked(bool isBlocked)
    {
        lock (_lock)
        {
            _isBlocked = isBlocked;
            if (isBlocked)
            {
                WakeDoubts();
            }
        }
    }

    /// <summary>Waits for all batches in flight; the message has no others.</summary>
    private Task WaitAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            _sendsMore = false;
            WakeDoubts();
            return _pending == 0
                ? Task.CompletedTask
                : (_idle ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task.WaitAsync(cancellationToken);
        }
    }

    private DocumentsResult Result()
    {
        lock (_lock)
        {
            if (_exception is not null)
            {
                ExceptionDispatchInfo.Throw(_exception);
            }

            return new DocumentsResult(_failure.Status, _created, _existing, _rejected, _failure.Detail, _failure.RetryAfter);
        }
    }

    private async Task StopAsync()
    {
        await _stop.CancelAsync();
        await WaitAsync(CancellationToken.None);
        _stop.Dispose();
        _reporting.Dispose();
    }
}
