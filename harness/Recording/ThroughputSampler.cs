using System.Diagnostics;

namespace Harness.Recording;

/// <summary>Reads a count every few milliseconds, on its own thread, because a busy thread pool would delay the samples.</summary>
internal sealed class ThroughputSampler
{
    private const int Interval = 5;
    private const int MaxBins = 48;

    private readonly Func<long> _count;
    private readonly Thread _thread;
    private readonly long _started = Stopwatch.GetTimestamp();

    // When full, every second sample is dropped: a long run has a coarser resolution, and nothing is allocated within the span.
    private readonly (double Seconds, long Count)[] _samples = new (double, long)[4_096];
    private int _taken;
    private volatile bool _ended;

    public ThroughputSampler(Func<long> count)
    {
        _count = count;
        _thread = new Thread(Run) { IsBackground = true, Name = "throughput" };
        _thread.Start();
    }

    /// <summary>Ends the sampling.</summary>
    /// <returns>Seconds per bin, and the messages per second of each.</returns>
    public (double BinSeconds, IReadOnlyList<double> MessagesPerSecond) End()
    {
        _ended = true;
        _thread.Join();
        Take();
        return ToBins(_samples.AsSpan(0, _taken));
    }

    /// <summary>Computes bins of equal length; between two samples the count is interpolated linearly.</summary>
    public static (double BinSeconds, IReadOnlyList<double> MessagesPerSecond) ToBins(ReadOnlySpan<(double Seconds, long Count)> samples)
    {
        int bins = Math.Clamp(samples.Length - 1, 1, MaxBins);
        (double begin, double end) = (samples[0].Seconds, samples[^1].Seconds);
        double width = Math.Max(1e-6, (end - begin) / bins);
        double[] rates = new double[bins];
        double before = samples[0].Count;
        int next = 0;
        for (int i = 0; i < bins; i++)
        {
            double at = i == bins - 1 ? end : begin + ((i + 1) * width);
            while (next < samples.Length - 1 && samples[next].Seconds < at)
            {
                next++;
            }

            (double seconds, long count) = samples[next];
            (double lastSeconds, long lastCount) = samples[Math.Max(0, next - 1)];
            double here = seconds > lastSeconds ? lastCount + ((count - lastCount) * (at - lastSeconds) / (seconds - lastSeconds)) : count;
            rates[i] = Math.Round((here - before) / width, 1);
            before = here;
        }

        return (Math.Round(width, 6), rates);
    }

    private void Run()
    {
        while (!_ended)
        {
            Take();
            Thread.Sleep(Interval);
        }
    }

    private void Take()
    {
        if (_taken == _samples.Length)
        {
            for (int i = 0; i < _taken / 2; i++)
            {
                _samples[i] = _samples[2 * i];
            }

            _taken /= 2;
        }

        _samples[_taken++] = (Stopwatch.GetElapsedTime(_started).TotalSeconds, _count());
    }
}
