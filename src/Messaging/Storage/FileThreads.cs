using System.Diagnostics.CodeAnalysis;

namespace Quayside.Messaging.Storage;

/// <summary>
/// Dedicated threads for file calls, which block and cannot be cancelled. A disk that is slow or hangs blocks these threads and never
/// those of the thread pool, which answer the health pages and drain the worker. Threads are started when they are first needed and
/// end with <see cref="Dispose"/>; one that hangs does not keep the process from ending.
/// </summary>
internal sealed class FileThreads : IDisposable
{
    private readonly string _name;
    private readonly int _limit;
    private readonly IFileHost _host;
    private readonly LinkedList<IFileCall> _waiting = new();
    private readonly object _gate = new();

    // Guarded by _gate.
    private int _threads;
    private int _idle;
    private bool _disposed;

    /// <param name="name">The name of the threads in debuggers and stack dumps.</param>
    /// <param name="limit">The maximum number of threads, at least 1. That many file calls run in parallel; others wait in order.</param>
    /// <param name="host">The machine; null for the operating system.</param>
    public FileThreads(string name, int limit, IFileHost? host = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        _name = name;
        _limit = limit;
        _host = host ?? SystemFileHost.Instance;
    }

    /// <summary>Queues a call behind those that wait.</summary>
    public void Enqueue(IFileCall call)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _waiting.AddLast(call.Node);
            if (_waiting.Count <= _idle)
            {
                _host.Pulse(_gate);
            }
            else if (_threads < _limit)
            {
                StartThread(call);
            }
        }
    }

    /// <summary>Removes a call that still waits.</summary>
    /// <returns>False when a thread has already taken it.</returns>
    public bool TryRemove(IFileCall call)
    {
        lock (_gate)
        {
            if (call.Node.List is null)
            {
                return false;
            }

            _waiting.Remove(call.Node);
            return true;
        }
    }

    /// <summary>Lets the threads end once no call waits; does not wait for them.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            _host.PulseAll(_gate);
        }
    }

    private void StartThread(IFileCall call)
    {
        try
        {
            _host.StartThread(Run, _name);
            _threads++;
        }
        catch (OutOfMemoryException) when (_threads > 0)
        {
            // The process can start no more threads; a running one takes the call later.
        }
        catch (OutOfMemoryException)
        {
            _waiting.Remove(call.Node);
            throw;
        }
    }

    private void Run()
    {
        while (TryTake(out IFileCall? call))
        {
            call.Execute();
        }
    }

    private bool TryTake([NotNullWhen(true)] out IFileCall? call)
    {
        lock (_gate)
        {
            while (_waiting.First is null && !_disposed)
            {
                _idle++;
                _host.Wait(_gate);
                _idle--;
            }

            call = _waiting.First?.Value;
            if (call is null)
            {
                _threads--;
                return false;
            }

            _waiting.RemoveFirst();
            return true;
        }
    }
}
