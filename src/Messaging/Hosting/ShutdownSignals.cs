using System.Runtime.InteropServices;

namespace Quayside.Messaging.Hosting;

/// <summary>
/// Handles the signals that end a process by default, from the start of the process, and counts them, so that none is lost before the host is up or while it
/// reacts to the first one. A signal that was ignored at the start stays ignored: SIGINT in the background jobs of a shell, SIGHUP under nohup. Threads: any.
/// </summary>
internal sealed class ShutdownSignals : IDisposable
{
    private static readonly PosixSignal[] Requests = [PosixSignal.SIGTERM, PosixSignal.SIGINT, PosixSignal.SIGQUIT];

    // A terminal that closes, the rotation of logs, a timer, a limit of CPU time, a power failure. Linux's numbers: .NET has no names for them.
    private static readonly Dictionary<PosixSignal, string> Events = OperatingSystem.IsLinux()
        ? new()
        {
            [PosixSignal.SIGHUP] = "SIGHUP",
            [(PosixSignal)10] = "SIGUSR1",
            [(PosixSignal)12] = "SIGUSR2",
            [(PosixSignal)14] = "SIGALRM",
            [(PosixSignal)24] = "SIGXCPU",
            [(PosixSignal)30] = "SIGPWR",
        }
        : new() { [PosixSignal.SIGHUP] = "SIGHUP" };

    private readonly Lock _gate = new();
    private readonly List<PosixSignal> _received = [];
    private PosixSignalRegistration[] _registrations = [];
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

    /// <summary>The signal's name, for logs.</summary>
    internal static string NameOf(PosixSignal signal) => Events.GetValueOrDefault(signal) ?? signal.ToString();

    /// <summary>Starts handling signals; they no longer end the process.</summary>
    /// <returns>False when signals are handled already.</returns>
    public bool Install()
    {
        lock (_gate)
        {
            if (_registrations.Length > 0)
            {
                return false;
            }

            _registrations = [.. Requests.Concat(Events.Keys).Select(signal => PosixSignalRegistration.Create(signal, OnSignal))];
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
        PosixSignalRegistration[] registrations;
        lock (_gate)
        {
            (registrations, _registrations, _handler) = (_registrations, [], null);
            _received.Clear();
        }

        // Outside the lock: disposing waits for a running handler.
        Array.ForEach(registrations, static registration => registration.Dispose());
    }

    /// <summary>Records a signal; called by the runtime and by tests.</summary>
    internal void Receive(PosixSignal signal)
    {
        lock (_gate)
        {
            // A terminal or a supervisor sends SIGHUP beside SIGTERM: only a second request counts as the second signal.
            if (_received.Count > 0 && (Events.ContainsKey(signal) || Events.ContainsKey(_received[0])))
            {
                _received[0] = Events.ContainsKey(signal) ? _received[0] : signal;
                return;
            }

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
