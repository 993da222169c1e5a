using System.Runtime.ExceptionServices;

namespace Quayside.Messaging.Storage;

/// <summary>
/// One fsync of a folder for all threads that gave a file its name before it began. Blocks the calling thread. Threads: any number concurrently.
/// </summary>
/// <param name="sync">The fsync; may throw.</param>
/// <param name="host">The machine, whose threads wait.</param>
internal sealed class SharedSync(Action sync, IFileHost host)
{
    // A monitor, because threads wait on it.
    private readonly object _lock = new();
    private Round _next = new();
    private bool _isRunning;

    /// <summary>Returns when an fsync that began after the call has ended.</summary>
    /// <exception cref="IOException">The fsync failed; every thread that shared it gets the exception.</exception>
    public void Run()
    {
        Round round;
        lock (_lock)
        {
            round = _next;
            while (_isRunning && !round.HasEnded)
            {
                host.Wait(_lock);
            }

            if (!round.HasEnded)
            {
                _isRunning = true;
                _next = new Round();
            }
        }

        if (!round.HasEnded)
        {
            Lead(round);
        }

        round.Error?.Throw();
    }

    private void Lead(Round round)
    {
        ExceptionDispatchInfo? error = null;
        try
        {
            sync();
        }
        catch (Exception exception)
        {
            error = ExceptionDispatchInfo.Capture(exception);
        }

        lock (_lock)
        {
            round.Error = error;
            round.HasEnded = true;
            _isRunning = false;
            host.PulseAll(_lock);
        }
    }

    /// <summary>The threads that share an fsync. Under the lock until it has ended.</summary>
    private sealed class Round
    {
        public bool HasEnded { get; set; }

        public ExceptionDispatchInfo? Error { get; set; }
    }
}
