using System.Diagnostics.CodeAnalysis;
using Azure.Messaging.ServiceBus;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>The links over which the calls of one run receive and settle. A call has one message at a time.</summary>
/// <param name="calls">Receives at the same time.</param>
internal abstract class RunLinks(int calls)
{
    // A broker that does not answer must not delay the shutdown or the next run.
    protected static readonly TimeSpan CloseLimit = TimeSpan.FromSeconds(5);

    private readonly Lock _gate = new();

    // The last one of each call. Written under the gate, read after the stop.
    private readonly Task[] _receives = [.. Enumerable.Repeat(Task.CompletedTask, calls)];

    // Written under the gate.
    private volatile bool _isStopping;

    /// <summary>True once <see cref="Stop"/> was called.</summary>
    public bool IsStopping => _isStopping;

    /// <summary>Cancels the receives.</summary>
    protected CancellationTokenSource Abort { get; } = new();

    /// <summary>Ends with the receives. Read it after the stop.</summary>
    protected Task Receiving => Task.WhenAll(_receives);

    /// <summary>Begins to receive one message, for which null means that there was none for a while; false after the stop.</summary>
    public bool TryReceive(int call, [NotNullWhen(true)] out Task<ServiceBusReceivedMessage?>? receiving)
    {
        lock (_gate)
        {
            receiving = null;
            if (!_isStopping)
            {
                _receives[call] = receiving = ReceiveAsync(call);
            }

            return receiving is not null;
        }
    }

    /// <summary>True while the receive of a call has not ended. Call it after the stop.</summary>
    public bool IsReceiving(int call) => !_receives[call].IsCompleted;

    /// <summary>From here on no call receives, and none is just beginning to: that would grant credit during the close.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            _isStopping = true;
        }
    }

    /// <summary>The receiver that settles the message of a call now.</summary>
    public abstract ServiceBusReceiver SettlingFor(int call);

    /// <summary>The message of a call is settled, or given up. Never throws.</summary>
    public virtual Task SettledAsync(int call) => Task.CompletedTask;

    /// <summary>Called every second, until every message of the run is settled: renews what keeps them locked and is due.</summary>
    /// <param name="messages">The message of each call; null for none.</param>
    public virtual void RenewDue(ServiceBusDelivery?[] messages)
    {
        for (int call = 0; call < messages.Length; call++)
        {
            Volatile.Read(ref messages[call])?.RenewIfDue();
        }
    }

    /// <summary>
    /// Closes the links and waits for the receives over them, as long as they can be expected to end. Call it after the stop. What later settlements need
    /// stays open.
    /// </summary>
    /// <param name="settlements">Completes when no settlement of a call uses the links any more; a broker that does not answer one does not keep the links
    /// open.</param>
    public abstract Task CloseAsync(Task settlements);

    protected abstract Task<ServiceBusReceivedMessage?> ReceiveAsync(int call);
}
