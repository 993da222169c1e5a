namespace Lab.Techniques.WorkItems;

/// <summary>Each piece queues the next, as a mailbox does that has more to process.</summary>
internal sealed class HopJob(QueueWay way, int pieces) : PoolJob
{
    private int _ran;

    public static Task<int> RunAsync(QueueWay way, int pieces)
    {
        HopJob job = new(way, pieces);
        job.Queue(QueueWay.WorkItemGlobal);
        return job.Done;
    }

    public override void Execute()
    {
        if (++_ran == pieces)
        {
            Finish(_ran);
        }
        else
        {
            Queue(way);
        }
    }
}
