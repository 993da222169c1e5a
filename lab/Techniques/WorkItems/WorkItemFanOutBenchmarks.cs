namespace Lab.Techniques.WorkItems;

/// <summary>One thread of the pool queues all pieces.</summary>
public class WorkItemFanOutBenchmarks : WorkItemBenchmarks
{
    protected override Task<int> RunAsync(QueueWay way, int pieces) => FanOutJob.RunAsync(way, pieces);
}
