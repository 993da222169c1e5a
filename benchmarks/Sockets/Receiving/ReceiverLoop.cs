using System.Diagnostics;
using System.Text.Json;

namespace Benchmarks.Sockets.Receiving;

/// <summary>A receiving process: prints its port, then a sample for each line of its input until the input ends.</summary>
internal static class ReceiverLoop
{
    /// <returns>The exit code.</returns>
    public static int Run(IReceiver receiver)
    {
        using (receiver)
        {
            receiver.Start();
            Console.Out.WriteLine(receiver.Port);
            while (Console.In.ReadLine() is not null)
            {
                ReceiverSample sample = new(
                    Stopwatch.GetTimestamp() / (double)Stopwatch.Frequency,
                    receiver.Received,
                    GC.GetTotalAllocatedBytes(precise: true),
                    Environment.CpuUsage.TotalTime.TotalSeconds);
                Console.Out.WriteLine(JsonSerializer.Serialize(sample));
            }
        }

        return 0;
    }
}
