namespace Tests.Shared;

/// <summary>Bytes that a round allocates: the minimum of several rounds, which excludes one-time work of the runtime (the JIT's second tier, a pool's growth).</summary>
internal static class LeastBytes
{
    public const int Rounds = 8;

    public static long OfThread(Action round)
    {
        long least = long.MaxValue;
        for (int i = 0; i < Rounds && least > 0; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            round();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }

    /// <param name="round">The round; short, since a busy machine creates pool threads meanwhile, and each allocates.</param>
    /// <param name="rounds">How many.</param>
    public static long OfProcess(Action round, int rounds = Rounds)
    {
        long least = long.MaxValue;
        for (int i = 0; i < rounds; i++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            round();
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        return least;
    }

    public static async Task<long> OfProcessAsync(Func<Task> round)
    {
        long least = long.MaxValue;
        for (int i = 0; i < Rounds; i++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await round();
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        return least;
    }
}
