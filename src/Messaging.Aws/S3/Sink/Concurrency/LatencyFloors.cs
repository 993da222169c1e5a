using System.Numerics;

namespace Messaging.Aws.S3.Sink.Concurrency;

/// <summary>
/// The latency of requests to a store without load (the floor) per class of sizes, and how far the latest requests are above it. Uses
/// logarithms: a few slow answers barely move their mean, and the ratios of all classes can be added. A 1 MiB body is only compared
/// with bodies of its class. Threads: none; the limiter's lock guards it.
/// </summary>
internal sealed class LatencyFloors
{
    // Up to 4 KiB, 16 KiB, 64 KiB, 256 KiB, 1 MiB, 4 MiB, 16 MiB, and above.
    private const int Classes = 8;
    private const int FirstClassBits = 12;

    // Fewer say little and are kept for the next look.
    private const int MinSamples = 8;

    // The weight of a lower mean: the floor is a mean of all low rounds, not the luckiest of thousands.
    private const double Pull = 1.0 / 8;

    // What a garbage collection or a busy core adds: a store with a latency of 1 ms is not slow at 2 ms.
    private const double SlackMilliseconds = 5;

    private readonly double[] _floors = new double[Classes];
    private readonly double[] _sums = new double[Classes];
    private readonly int[] _counts = new int[Classes];

    public LatencyFloors() => Array.Fill(_floors, double.NaN);

    public void Add(int bytes, TimeSpan latency)
    {
        int sizes = ClassOf(bytes);
        _sums[sizes] += Math.Log(Math.Max(latency.TotalMilliseconds, 0) + SlackMilliseconds);
        _counts[sizes]++;
    }

    /// <summary>Compares the latencies since the last look with the floors; lower means pull the floors down.</summary>
    /// <returns>The natural logarithm of the mean ratio to the floor; null when nothing could be compared.</returns>
    public double? Look()
    {
        double excess = 0;
        int compared = 0;
        for (int sizes = 0; sizes < Classes; sizes++)
        {
            if (_counts[sizes] < MinSamples)
            {
                continue;
            }

            double mean = _sums[sizes] / _counts[sizes];
            if (double.IsNaN(_floors[sizes]))
            {
                _floors[sizes] = mean;
            }
            else
            {
                excess += (mean - _floors[sizes]) * _counts[sizes];
                compared += _counts[sizes];
                _floors[sizes] += Math.Min(mean - _floors[sizes], 0) * Pull;
            }

            (_sums[sizes], _counts[sizes]) = (0, 0);
        }

        return compared == 0 ? null : excess / compared;
    }

    /// <summary>Discards the latencies since the last look.</summary>
    public void Forget()
    {
        Array.Clear(_sums);
        Array.Clear(_counts);
    }

    /// <summary>Raises all floors by <paramref name="excess"/>, as returned by <see cref="Look"/>, because the store itself became slower.</summary>
    public void Raise(double excess)
    {
        for (int sizes = 0; sizes < Classes; sizes++)
        {
            // A class without samples stays unknown: NaN plus anything is NaN.
            _floors[sizes] += excess;
        }
    }

    private static int ClassOf(int bytes) =>
        bytes <= 1 << FirstClassBits ? 0 : Math.Min(((BitOperations.Log2((uint)(bytes - 1)) - FirstClassBits) / 2) + 1, Classes - 1);
}
