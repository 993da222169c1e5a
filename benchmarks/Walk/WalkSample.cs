namespace Benchmarks.Walk;

/// <summary>What the counted worker has counted so far.</summary>
/// <param name="Counts">Per site.</param>
/// <param name="Bytes">Allocated on all threads.</param>
/// <param name="WorkItems">That the thread pool has run, those of the framework too.</param>
internal sealed record WalkSample(long[] Counts, long Bytes, long WorkItems)
{
    public static WalkSample Take(int sites) => new(WalkCounters.Read(sites), GC.GetTotalAllocatedBytes(precise: true), ThreadPool.CompletedWorkItemCount);
}
