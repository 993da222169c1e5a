using System.Runtime.InteropServices;

namespace Quayside.Messaging.Hosting;

/// <summary>
/// Handles SIGTERM and SIGINT from the start of the process and counts them, so that no signal is lost before the host is up or while
/// it reacts to the first one. An ignored SIGINT stays ignored, as in every program that a shell starts in the background. Threads: any.
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

    /// <summary>True after the first signal.</summary>
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

    /// <summary>Starts handling signals; they no longer end the process.</summary>
    /// <returns>False when signals are handled already.</returns>
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

    /// <summary>Sets the handler of each signal and its number, from 1; calls it immediately for earlier signals. It must not block.</summary>
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

    /// <summary>Removes the handler; signals are only counted.</summary>
    internal void Detach()
    {
        lock (_gate)
        {
            _handler = null;
        }
    }

    /// <summary>Returns the signals to the runtime: they end the process again.</summary>
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

        // Outside the lock: disposing waits for a running handler.
        terminate?.Dispose();
        interrupt?.Dispose();
    }

    /// <summary>Records a signal; called by the runtime and by tests.</summary>
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
