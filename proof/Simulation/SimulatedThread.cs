namespace Proof.Simulation;

/// <summary>
/// A thread of a simulated process, for calls that block. It runs only within <see cref="TryResume"/> and stands still in <see cref="Pause"/>, so
/// nothing else runs at the same time.
/// </summary>
internal sealed class SimulatedThread
{
    // Threads of the operating system are used again.
    private static readonly Stack<SimulatedThread> Idle = [];
    private static readonly AutoResetEvent Paused = new(false);

    [ThreadStatic]
    private static SimulatedThread? _current;

    private readonly AutoResetEvent _resumed = new(false);
    private Action? _run;
    private bool _isInterrupted;

    private SimulatedThread() => new Thread(Loop) { IsBackground = true }.Start();

    /// <summary>The one that runs now; null on the pool's thread.</summary>
    public static SimulatedThread? Current => _current;

    public static SimulatedThread Create(Action run)
    {
        SimulatedThread thread = Idle.TryPop(out SimulatedThread? idle) ? idle : new SimulatedThread();
        thread._run = run;
        thread._isInterrupted = false;
        return thread;
    }

    /// <summary>Lets it run until it pauses or ends.</summary>
    /// <returns>False when it has ended.</returns>
    public bool TryResume()
    {
        _resumed.Set();
        Paused.WaitOne();
        if (_run is null)
        {
            Idle.Push(this);
        }

        return _run is not null;
    }

    /// <summary>Ends a paused thread: <see cref="Pause"/> throws there.</summary>
    public void End()
    {
        _isInterrupted = true;
        if (TryResume())
        {
            throw new InvalidOperationException("A simulated thread went on after its process had ended.");
        }
    }

    /// <summary>Returns when the thread is resumed. Called on the thread itself.</summary>
    /// <exception cref="ThreadInterruptedException">Its process has ended.</exception>
    public void Pause()
    {
        if (!_isInterrupted)
        {
            Paused.Set();
            _resumed.WaitOne();
        }

        if (_isInterrupted)
        {
            throw new ThreadInterruptedException();
        }
    }

    private void Loop()
    {
        _current = this;
        while (true)
        {
            _resumed.WaitOne();
            try
            {
                _run!();
            }
            catch (ThreadInterruptedException)
            {
                // Its process has ended.
            }

            _run = null;
            Paused.Set();
        }
    }
}
