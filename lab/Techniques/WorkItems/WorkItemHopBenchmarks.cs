namespace Lab.Techniques.WorkItems;

/// <summary>Each piece queues the next.</summary>
public class WorkItemHopBenchmarks : WorkItemBenchmarks
{
    protected override Task<int> RunAsync(QueueWay way, int pieces) => HopJob.RunAsync(way, pieces);
}
