namespace Harness.ServiceBus;

/// <summary>Counts messages down to zero. Threads: any; a message that comes twice counts twice, as in the classic harness.</summary>
internal sealed class Countdown(int count)
{
    private int _left = count;

    /// <summary>Messages still to come; never below 0.</summary>
    public int Left => Math.Max(0, Volatile.Read(ref _left));

    public void Signal() => Interlocked.Decrement(ref _left);
}
