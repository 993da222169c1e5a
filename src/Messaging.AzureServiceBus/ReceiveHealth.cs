
namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// Whether receiving works. The client reports failures and messages, but not that an idle connection has recovered. A failure therefore counts
/// until a message is received, or the broker answers a check while a run receives. Receiving counts as failing until the broker's first
/// answer. Threads: any.
/// </summary>
internal sealed class ReceiveHealth(ServiceBusSourceLog log)
{
    private readonly Lock _lock = new();
    private int _failures;

    // Until the first run the check at start decides.
    private bool _isRunning = true;

    // Set by each message, taken by the watch for silence.
    private bool _hasAnswered = true;

    // Read without the lock by every message.
    private volatile string? _problem = "Service Bus has not answered yet.";

    /// <summary>Why nothing can be received now; null when no problem is known.</summary>
    public string? Problem => _problem;

    /// <summary>True while there is a problem that an answer of the broker would end.</summary>
    public bool IsInDoubt => IsRunning && _problem is not null;

    /// <summary>False once a run has stopped, until the next one: a broker that answers a check then does not show that receiving works.</summary>
    public bool IsRunning
    {
        get => Volatile.Read(ref _isRunning);
        set
        {
            lock (_lock)
            {
                _isRunning = value;
            }
        }
    }

    /// <summary>Changes with every failure; an argument of <see cref="Answered"/>.</summary>
    public int Failures => Volatile.Read(ref _failures);

    /// <summary>The broker did not answer at the start.</summary>
    public void Unreachable(string error)
    {
        log.Unreachable(error);
        Note($"Service Bus cannot be reached: {error}");
    }

    public void Failed(ServiceBusFault fault)
    {
        Note(fault.Message);
        log.ReceiveFailed(fault);
    }

    public void Received()
    {
        Volatile.Write(ref _hasAnswered, true);
        if (_problem is not null)
        {
            Clear(failures: null);
        }
    }

    /// <summary>
    /// True when a message arrived since the last call, or silence means nothing: no run receives, or a problem is known and its end is polled for.
    /// </summary>
    public bool TakeAnswer() => Interlocked.Exchange(ref _hasAnswered, false) || !IsRunning || _problem is not null;

    /// <summary>The broker answered a check; <paramref name="failures"/> is <see cref="Failures"/> before it, so that a later failure still counts.</summary>
    public void Answered(int failures) => Clear(failures);

    private void Note(string problem)
    {
        lock (_lock)
        {
            _problem = problem;
            _failures++;
        }
    }

    private void Clear(int? failures)
    {
        lock (_lock)
        {
            if (_problem is null || (failures is { } known && (!_isRunning || known != _failures)))
            {
                return;
            }

            _problem = null;
            if (_failures == 0)
            {
                // The first answer: there was no failure to recover from.
                return;
            }
        }

        log.ReceiveRecovered();
    }
}
