namespace Messaging.Aws.S3;

/// <summary>The time of one attempt, and the difference between its end and the caller's.</summary>
internal sealed class S3Attempt : IDisposable
{
    private readonly CancellationTokenSource _limit;
    private readonly CancellationTokenSource _either;
    private readonly CancellationToken _caller;

    public S3Attempt(TimeSpan limit, TimeProvider time, CancellationToken caller)
    {
        _limit = new CancellationTokenSource(limit, time);
        _either = CancellationTokenSource.CreateLinkedTokenSource(_limit.Token, caller);
        _caller = caller;
    }

    public CancellationToken Token => _either.Token;

    /// <summary>Waits for a request that looks at its token at many places, but not at all, as the SDK does.</summary>
    public async ValueTask<T> LimitAsync<T>(Task<T> request)
    {
        try
        {
            return await request.WaitAsync(Token);
        }
        catch (OperationCanceledException) when (!request.IsCompleted)
        {
            // Left to itself: whatever it still ends in was seen.
            _ = request.ContinueWith(static late => _ = late.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            throw;
        }
    }

    /// <summary>What an exception means.</summary>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    public S3Fault Classify(Exception exception)
    {
        _caller.ThrowIfCancellationRequested();
        return S3Faults.Classify(exception, _limit.IsCancellationRequested);
    }

    public void Dispose()
    {
        _either.Dispose();
        _limit.Dispose();
    }
}
