namespace Integration.Tests.Faults.S3;

/// <summary>Every exchange since the server started, in the order of the decisions. Exchanges are never removed.</summary>
internal sealed class S3History(TimeProvider time)
{
    private readonly Lock _gate = new();
    private readonly List<S3Exchange> _exchanges = [];

    // Completed and replaced under _gate with every exchange.
    private TaskCompletionSource _grown = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public S3Exchange[] Snapshot()
    {
        lock (_gate)
        {
            return [.. _exchanges];
        }
    }

    /// <summary>The exchanges of one operation, PUTs when none is named.</summary>
    public S3Exchange[] Of(S3Operation operation = S3Operation.PutObject) => [.. Snapshot().Where(exchange => exchange.Operation == operation)];

    public void Add(Func<int, DateTimeOffset, S3Exchange> create)
    {
        TaskCompletionSource grown;
        lock (_gate)
        {
            _exchanges.Add(create(_exchanges.Count, time.GetUtcNow()));
            grown = _grown;
            _grown = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        grown.SetResult();
    }

    /// <summary>The first exchange, past or future, that satisfies the condition, such as the moment to kill a worker.</summary>
    public async Task<S3Exchange> WaitForAsync(Func<S3Exchange, bool> condition, TimeSpan? timeout = null)
    {
        using var deadline = new CancellationTokenSource(timeout ?? TimeSpan.FromSeconds(60));
        int next = 0;
        while (true)
        {
            Task grown;
            lock (_gate)
            {
                for (; next < _exchanges.Count; next++)
                {
                    if (condition(_exchanges[next]))
                    {
                        return _exchanges[next];
                    }
                }

                grown = _grown.Task;
            }

            try
            {
                await grown.WaitAsync(deadline.Token);
            }
            catch (OperationCanceledException exception)
            {
                throw new TimeoutException(
                    $"No exchange satisfied the condition. History:\n{string.Join('\n', (IEnumerable<S3Exchange>)Snapshot())}", exception);
            }
        }
    }
}
