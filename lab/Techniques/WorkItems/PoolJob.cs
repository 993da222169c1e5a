namespace Lab.Techniques.WorkItems;

/// <summary>Work that runs on the pool and signals when all of it is done.</summary>
internal abstract class PoolJob : IThreadPoolWorkItem
{
    private static readonly Action<PoolJob> Run = static job => job.Execute();
    private readonly TaskCompletionSource<int> _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The number of pieces that ran.</summary>
    public Task<int> Done => _done.Task;

    public abstract void Execute();

    protected void Finish(int pieces) => _done.SetResult(pieces);

    protected void Queue(QueueWay way)
    {
        switch (way)
        {
            case QueueWay.TaskRun:
                _ = Task.Run(Execute);
                break;
            case QueueWay.Closure:
                ThreadPool.QueueUserWorkItem(_ => Execute());
                break;
            case QueueWay.Delegate:
                ThreadPool.UnsafeQueueUserWorkItem(Run, this, preferLocal: false);
                break;
            default:
                ThreadPool.UnsafeQueueUserWorkItem(this, way == QueueWay.WorkItemLocal);
                break;
        }
    }
}
