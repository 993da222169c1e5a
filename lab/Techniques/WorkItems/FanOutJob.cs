namespace Lab.Techniques.WorkItems;

/// <summary>A thread of the pool queues all pieces, as a receive loop does with a batch.</summary>
internal sealed class FanOutJob(int pieces) : PoolJob
{
    private int _ran;

    public static Task<int> RunAsync(QueueWay way, int pieces)
    {
        FanOutJob job = new(pieces);
        ThreadPool.UnsafeQueueUserWorkItem(
            static start =>
            {
                for (int piece = 0; piece < start.pieces; piece++)
                {
                    start.job.Queue(start.way);
                }
            },
            (job, way, pieces),
            preferLocal: false);
        return job.Done;
    }

    public override void Execute()
    {
        if (Interlocked.Increment(ref _ran) == pieces)
        {
            Finish(pieces);
        }
    }
}
