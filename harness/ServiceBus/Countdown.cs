namespace Harness.ServiceBus;

/// <summary>Counts messages down to zero. Threads: any; a message that comes twice counts twice, as in the classic harness.</summary>
internal sealed class Countdown(int count)
{
    private readonly TaskCompletionSource _zero = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _left = count;

    /// <summary>Ends at zero.</summary>
    public Task Zero => _zero.Task;

    /// <summary>Messages still to come; never below 0.</summary>
    public int Left => Math.Max(0, Volatile.Read(ref _left));

    public void Signal()
    {
        if (Interlocked.Decrement(ref _left) == 0)
        {
            _zero.SetResult();
        }
    }
}
