namespace Tests.Shared;

/// <summary>
/// Bytes that a round allocates: the minimum of several rounds, which excludes one-time work of the runtime (the JIT's second tier, a pool's growth).
/// </summary>
internal static class MinBytes
{
    public const int Rounds = 8;

    public static long OfThread(Action round)
    {
        long min = long.MaxValue;
        for (int i = 0; i < Rounds && min > 0; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            round();
            min = Math.Min(min, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return min;
    }

    /// <param name="round">The round; short, since a busy machine creates pool threads meanwhile, and each allocates.</param>
    /// <param name="rounds">How many at most.</param>
    /// <param name="enough">No further round is needed below it: a busy machine compiles hot methods late, and allocates more until then.</param>
    public static long OfProcess(Action round, int rounds = Rounds, long enough = 0)
    {
        long min = long.MaxValue;
        for (int i = 0; i < rounds && min >= enough; i++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            round();
            min = Math.Min(min, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        return min;
    }

    public static async Task<long> OfProcessAsync(Func<Task> round)
    {
        long min = long.MaxValue;
        for (int i = 0; i < Rounds; i++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await round();
            min = Math.Min(min, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        return min;
    }
}
