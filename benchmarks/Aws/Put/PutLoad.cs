using System.Diagnostics;

namespace Benchmarks.Aws.Put;

/// <summary>Keeps a number of PUTs in flight and counts what the process spends on them.</summary>
internal sealed class PutLoad(IPutClient client, int keys, int inFlight)
{
    private volatile bool _stop;

    public async Task<PutRound> RunAsync(TimeSpan length)
    {
        _stop = false;
        long bytes = GC.GetTotalAllocatedBytes(precise: true);
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        long started = Stopwatch.GetTimestamp();
        Task<long>[] loops = new Task<long>[inFlight];
        for (int i = 0; i < loops.Length; i++)
        {
            int first = i;
            loops[i] = Task.Run(() => LoopAsync(first));
        }

        // Also ends when a loop fails, since the other results would be useless.
        await Task.WhenAny([Task.Delay(length), .. loops]);
        _stop = true;
        long puts = (await Task.WhenAll(loops)).Sum();
        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        double cpuSeconds = (Environment.CpuUsage.TotalTime - cpu).TotalSeconds;
        return new PutRound(seconds, puts, GC.GetTotalAllocatedBytes(precise: true) - bytes, cpuSeconds);
    }

    private async Task<long> LoopAsync(int first)
    {
        long puts = 0;
        while (!_stop)
        {
            await client.PutAsync((int)((first + puts) % keys));
            puts++;
        }

        return puts;
    }
}
