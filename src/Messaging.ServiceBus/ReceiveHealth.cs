using Messaging.ServiceBus.Port;

namespace Messaging.ServiceBus;

/// <summary>
/// Whether receiving works. A pump reports failures and messages, but not that an idle connection has recovered. A transient failure
/// therefore counts until a message is received or the broker answers a check; any other failure counts for five minutes. Receiving
/// counts as failing until the broker's first answer. Threads: any.
/// </summary>
internal sealed class ReceiveHealth(ServiceBusSourceLog log, TimeProvider time)
{
    // Longer than the pause of at most 30 s, after which the pump fails again or works.
    private static readonly TimeSpan FailureCounts = TimeSpan.FromMinutes(5);

    private readonly Lock _lock = new();
    private TaskCompletionSource? _doubted;
    private long _failedAt;
    private int _failures;
    private bool _isInDoubt = true;

    // Read without the lock by every message.
    private volatile string? _problem = "Service Bus has not answered yet.";

    /// <summary>Why nothing can be received now; null when no problem is known.</summary>
    public string? Problem
    {
        get
        {
            lock (_lock)
            {
                return _isInDoubt || time.GetElapsedTime(_failedAt) < FailureCounts ? _problem : null;
            }
        }
    }

    /// <summary>Changes with every failure; an argument of <see cref="Answered"/>.</summary>
    public int Failures => Volatile.Read(ref _failures);

    /// <summary>Waits for a problem that an answer of the broker would end.</summary>
    public Task InDoubtAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return _isInDoubt && _problem is not null
                ? Task.CompletedTask
                : (_doubted ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task.WaitAsync(cancellationToken);
        }
    }

    /// <summary>The broker did not answer at the start.</summary>
    public void Unreachable(string error)
    {
        log.Unreachable(error);
        Note($"Service Bus cannot be reached: {error}", isInDoubt: true);
    }

    public void Failed(ServiceBusFault fault)
    {
        Note(fault.Message, fault.Kind == ServiceBusFaultKind.Transient);
        log.ReceiveFailed(fault);
    }

    public void Received()
    {
        if (_problem is not null)
        {
            Clear(failures: null);
        }
    }

    /// <summary>The broker answered a check; <paramref name="failures"/> is <see cref="Failures"/> before it, so that a later failure still counts.</summary>
    public void Answered(int failures) => Clear(failures);

    private void Note(string problem, bool isInDoubt)
    {
        lock (_lock)
        {
            _problem = problem;
            _isInDoubt = isInDoubt;
            _failedAt = time.GetTimestamp();
            _failures++;
            if (isInDoubt)
            {
                _doubted?.TrySetResult();
                _doubted = null;
            }
        }
    }

    private void Clear(int? failures)
    {
        lock (_lock)
        {
            if (_problem is null || (failures is { } known && (!_isInDoubt || known != _failures)))
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
