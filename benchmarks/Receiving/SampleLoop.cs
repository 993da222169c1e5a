using System.Diagnostics;
using System.Text.Json;

namespace Benchmarks.Receiving;

/// <summary>The child's side: a sample for each line of its input, until the input ends.</summary>
internal static class SampleLoop
{
    public static void Run(Func<long> messages)
    {
        while (Console.In.ReadLine() is not null)
        {
            ReceiverSample sample = new(
                Stopwatch.GetTimestamp() / (double)Stopwatch.Frequency,
                messages(),
                GC.GetTotalAllocatedBytes(precise: true),
                Environment.CpuUsage.TotalTime.TotalSeconds);
            Console.Out.WriteLine(JsonSerializer.Serialize(sample));
        }
    }
}
