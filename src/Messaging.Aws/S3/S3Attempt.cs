using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.S3;

/// <summary>The time limit of one attempt; distinguishes a timeout from a cancellation by the caller.</summary>
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

    /// <summary>Limits the wait for a request of the SDK, which does not observe its token everywhere, and counts it.</summary>
    public async ValueTask<T> CountAsync<T>(ApiCalls calls, ApiOperation operation, Task<T> request)
    {
        T answer;
        try
        {
            answer = await request.WaitAsync(Token);
        }
        catch (Exception exception)
        {
            // The request may still fail later: observe its exception.
            _ = request.ContinueWith(
                static late => _ = late.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            calls.Failed(operation, exception);
            throw;
        }

        calls.Sending(operation);
        return answer;
    }

    /// <summary>Classifies an exception.</summary>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    public S3Fault Classify(Exception exception)
    {
        _caller.ThrowIfCancellationRequested();
        return S3Fault.Of(exception, _limit.IsCancellationRequested);
    }

    public void Dispose()
    {
        _either.Dispose();
        _limit.Dispose();
    }
}
