namespace Benchmarks.EndToEnd.Clients;

/// <summary>What a client process has used up so far.</summary>
internal sealed record ClientSample(double CpuSeconds, long Bytes, int Gen0, int Gen1, int Gen2, double PauseSeconds)
{
    public static ClientSample Take() => new(
        Environment.CpuUsage.TotalTime.TotalSeconds,
        GC.GetTotalAllocatedBytes(precise: true),
        GC.CollectionCount(0) - GC.CollectionCount(1),
        GC.CollectionCount(1) - GC.CollectionCount(2),
        GC.CollectionCount(2),
        GC.GetTotalPauseDuration().TotalSeconds);

    public ClientSample Since(ClientSample before) => new(
        CpuSeconds - before.CpuSeconds,
        Bytes - before.Bytes,
        Gen0 - before.Gen0,
        Gen1 - before.Gen1,
        Gen2 - before.Gen2,
        PauseSeconds - before.PauseSeconds);
}
