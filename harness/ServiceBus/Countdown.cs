namespace Harness.ServiceBus;

/// <summary>Counts messages down to zero. Threads: any; a message that is delivered twice counts twice, as in the classic harness.</summary>
internal sealed class Countdown(int count)
{
    private int _left = count;

    /// <summary>Number of messages still to receive; never below 0.</summary>
    public int Left => Math.Max(0, Volatile.Read(ref _left));

    public void Signal() => Interlocked.Decrement(ref _left);
}
