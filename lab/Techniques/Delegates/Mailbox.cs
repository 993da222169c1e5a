using System.Runtime.CompilerServices;

namespace Lab.Techniques.Delegates;

/// <summary>
/// Processes under a context that is set before and restored after, with the work passed in several ways. Returns the number processed so far.
/// </summary>
internal sealed class Mailbox
{
    private readonly Action<int> _cached;
    private object? _context;
    private int _processed;

    public Mailbox() => _cached = Process;

    /// <summary>Frozen: a delegate that captures this and a local.</summary>
    public int Closure(int weight)
    {
        Under(() => Process(weight));
        return _processed;
    }

    /// <summary>The same where the compiler can inline the callee.</summary>
    public int ClosureInlined(int weight)
    {
        UnderInlined(() => Process(weight));
        return _processed;
    }

    public int StaticLambda(int weight)
    {
        Under(static state => state.Mailbox.Process(state.Weight), (Mailbox: this, Weight: weight));
        return _processed;
    }

    public int CachedDelegate(int weight)
    {
        Under(_cached, weight);
        return _processed;
    }

    public int ValueDelegate(int weight)
    {
        UnderValue(new ProcessOne(this, weight));
        return _processed;
    }

    /// <summary>A struct held as its interface: a box.</summary>
    public int BoxedValueDelegate(int weight)
    {
        UnderInterface(new ProcessOne(this, weight));
        return _processed;
    }

    /// <summary>The published improvement: no callee at all.</summary>
    public int WrittenOut(int weight)
    {
        object? before = _context;
        _context = this;
        try
        {
            Process(weight);
        }
        finally
        {
            _context = before;
        }

        return _processed;
    }

    public void Process(int weight) => _processed += ReferenceEquals(_context, this) ? weight : 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Under(Action action)
    {
        object? before = _context;
        _context = this;
        try
        {
            action();
        }
        finally
        {
            _context = before;
        }
    }

    // Called with one delegate only: the delegates that the compiler has seen here decide whether it inlines the call.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void UnderInlined(Action action)
    {
        object? before = _context;
        _context = this;
        try
        {
            action();
        }
        finally
        {
            _context = before;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Under<TState>(Action<TState> action, TState state)
    {
        object? before = _context;
        _context = this;
        try
        {
            action(state);
        }
        finally
        {
            _context = before;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void UnderValue<TRun>(TRun run)
        where TRun : struct, IRun
    {
        object? before = _context;
        _context = this;
        try
        {
            run.Run();
        }
        finally
        {
            _context = before;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void UnderInterface(IRun run)
    {
        object? before = _context;
        _context = this;
        try
        {
            run.Run();
        }
        finally
        {
            _context = before;
        }
    }
}
