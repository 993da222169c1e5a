using System.Diagnostics.CodeAnalysis;
using Azure.Messaging.ServiceBus;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// The links over which one run receives. A stop closes them: the client drains each link and then closes it, and every message that arrived
/// is passed on. Messages in flight are then settled by their lock tokens, over a receiver that receives nothing.
/// </summary>
/// <remarks>
/// ServiceBusProcessor would do, but for its stop: it cancels the waiting receives, and the client drops a message that has just arrived for one
/// of them. The message stays locked.
/// </remarks>
internal sealed class ReceiveLinks(int calls, ServiceBusReceiver[] receivers, Func<ServiceBusReceiver> settling, TimeProvider time) : IReceiveLinks
{
    /// <summary>
    /// Above this number of waiting receives, Microsoft.Azure.Amqp grants credit in steps (PendingReceiversThreshold). Credit that is granted
    /// during a close ends its drain, and messages would be locked for a link that is gone.
    /// </summary>
    public const int MaxCallsPerLink = 20;

    // A broker that does not answer must not delay the shutdown or the next run.
    private static readonly TimeSpan CloseLimit = TimeSpan.FromSeconds(5);

    // An open link locks messages.
    private static readonly TimeSpan SettleLimit = TimeSpan.FromSeconds(2);

    // Without a connection there is no link that ends the receives.
    private static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(2);

    private readonly Lock _gate = new();

    // The last one of each call. Written under the gate, read after the stop.
    private readonly Task[] _receives = [.. Enumerable.Repeat(Task.CompletedTask, calls)];
    private readonly CancellationTokenSource _abort = new();

    // Null until the stop. Written under the gate.
    private volatile ServiceBusReceiver? _afterStop;

    public bool IsStopping => _afterStop is not null;

    public bool RenewsLocks => false;

    public ServiceBusReceiver SettlingFor(int call) => _afterStop ?? LinkOf(call);

    public bool TryReceive(int call, [NotNullWhen(true)] out Task<ServiceBusReceivedMessage?>? receiving)
    {
        lock (_gate)
        {
            if (IsStopping)
            {
                receiving = null;
                return false;
            }

            _receives[call] = receiving = LinkOf(call).ReceiveMessageAsync(cancellationToken: _abort.Token)!;
            return true;
        }
    }

    public Task SettledAsync(int call) => Task.CompletedTask;

    public void RenewDue()
    {
    }

    public void Stop()
    {
        lock (_gate)
        {
            // Its link opens when it first settles.
            _afterStop ??= settling();
        }
    }

    public async Task CloseAsync(Task settlements)
    {
        // What has no answer by then is sent once more by its lock token.
        await settlements.WaitAsync(SettleLimit, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Task receiving = Task.WhenAll(_receives);
        try
        {
            await Task.WhenAll(receivers.Select(receiver => receiver.CloseAsync())).WaitAsync(CloseLimit, time);

            // A closed link ends its receives, some with a message. To cancel them now would lose it.
            await receiving.WaitAsync(EndLimit, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        finally
        {
            // One that connects to a namespace that is out of reach may end only with the client's own retries, which take minutes.
            await _abort.CancelAsync();
            await receiving.WaitAsync(EndLimit, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private ServiceBusReceiver LinkOf(int call) => receivers[call % receivers.Length];
}
