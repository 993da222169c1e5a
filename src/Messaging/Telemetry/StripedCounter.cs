namespace Quayside.Messaging.Telemetry;

/// <summary>
/// A count that many threads increase. Each thread has a cell in a cache line of its own, since a shared one would cost each message
/// several times the increment. Threads: any.
/// </summary>
internal sealed class StripedCounter
{
    // Two cache lines, because processors fetch them in pairs.
    private const int Stride = 16;
    private const int Cells = 16;

    private readonly long[] _cells = new long[(Cells + 1) * Stride];

    /// <summary>The sum; exact while no thread increases it.</summary>
    public long Value
    {
        get
        {
            long sum = 0;
            for (int i = Stride; i < _cells.Length; i += Stride)
            {
                sum += Volatile.Read(ref _cells[i]);
            }

            return sum;
        }
    }

    public void Increment() => Interlocked.Increment(ref _cells[((Environment.CurrentManagedThreadId & (Cells - 1)) + 1) * Stride]);
}
