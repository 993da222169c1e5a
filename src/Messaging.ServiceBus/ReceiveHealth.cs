using Messaging.ServiceBus.Port;

namespace Messaging.ServiceBus;

/// <summary>
/// Whether receiving works. A pump reports failures and messages, but not that an idle connection works again. So a failure that
/// may pass counts until a message is received or the broker has answered a question, and any other until none was reported
/// for a while. Nothing works until the broker has answered for the first time. Threads: any.
/// </summary>
internal sealed class ReceiveHealth(ServiceBusSourceLog log, TimeProvider time)
{
    // After such a failure the pump rests for at most 30 s and fails again, or works.
    private static readonly TimeSpan FailureCounts = TimeSpan.FromMinutes(5);

    private readonly Lock _lock = new();
    private TaskCompletionSource? _doubted;
    private long _failedAt;
    private int _failures;
    private bool _isInDoubt = true;

    // Read without the lock by every message.
    private volatile string? _problem = "Service Bus has not answered yet.";

    /// <summary>Why nothing can be received now; null while it can, as far as is known.</summary>
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

    /// <summary>Changes with every failure, to be given to <see cref="Answered"/>.</summary>
    public int Failures => Volatile.Read(ref _failures);

    /// <summary>Waits until an answer of the broker would end the problem.</summary>
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

    /// <summary>Receiving failed.</summary>
    public void Failed(ServiceBusFault fault)
    {
        Note(fault.Message, fault.Kind == ServiceBusFaultKind.Transient);
        log.ReceiveFailed(fault);
    }

    /// <summary>A message was received.</summary>
    public void Received()
    {
        if (_problem is not null)
        {
            Clear(failures: null);
        }
    }

    /// <summary>The broker answered a question.</summary>
    /// <param name="failures">The failures there were before it was asked: what failed since counts on.</param>
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
                // The first answer, without a failure before it.
                return;
            }
        }

        log.ReceiveRecovered();
    }
}
