using System.Runtime.InteropServices;

namespace Messaging.Hosting;

/// <summary>
/// Takes SIGTERM and SIGINT from the first moment of the process on and counts them, so that none is lost and none is taken for
/// another: before the host is up, and while it reacts to the first one. An ignored SIGINT stays ignored, as for every program
/// that a shell starts in the background. Threads: any.
/// </summary>
public sealed class ShutdownSignals : IDisposable
{
    private readonly Lock _gate = new();
    private readonly List<PosixSignal> _received = [];
    private PosixSignalRegistration? _terminate;
    private PosixSignalRegistration? _interrupt;
    private Action<PosixSignal, int>? _handler;

    internal ShutdownSignals()
    {
    }

    /// <summary>The signals of this process.</summary>
    public static ShutdownSignals Process { get; } = new();

    /// <summary>True once a signal came.</summary>
    public bool IsReceived
    {
        get
        {
            lock (_gate)
            {
                return _received.Count > 0;
            }
        }
    }

    /// <summary>Begins to take signals; they no longer end the process.</summary>
    /// <returns>False when that was done before.</returns>
    public bool Install()
    {
        lock (_gate)
        {
            if (_terminate is not null)
            {
                return false;
            }

            _terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal);
            _interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal);
            return true;
        }
    }

    /// <summary>Sets who is told of each signal and its number, from 1; of those that came before at once. Must not block.</summary>
    internal void Attach(Action<PosixSignal, int> handler)
    {
        lock (_gate)
        {
            _handler = handler;
            for (int i = 0; i < _received.Count; i++)
            {
                handler(_received[i], i + 1);
            }
        }
    }

    /// <summary>From now on signals are only counted.</summary>
    internal void Detach()
    {
        lock (_gate)
        {
            _handler = null;
        }
    }

    /// <summary>Leaves the signals to the runtime again: they end the process.</summary>
    public void Dispose()
    {
        PosixSignalRegistration? terminate;
        PosixSignalRegistration? interrupt;
        lock (_gate)
        {
            (terminate, interrupt) = (_terminate, _interrupt);
            (_terminate, _interrupt, _handler) = (null, null, null);
            _received.Clear();
        }

        // Outside the lock: disposing waits for a handler that runs.
        terminate?.Dispose();
        interrupt?.Dispose();
    }

    /// <summary>A signal came; called by the runtime, and by tests.</summary>
    internal void Receive(PosixSignal signal)
    {
        lock (_gate)
        {
            _received.Add(signal);
            _handler?.Invoke(signal, _received.Count);
        }
    }

    private void OnSignal(PosixSignalContext context)
    {
        context.Cancel = true;
        Receive(context.Signal);
    }
}
