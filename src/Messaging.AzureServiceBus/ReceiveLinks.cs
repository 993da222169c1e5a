using Azure.Messaging.ServiceBus;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// The links of a run without sessions. A stop closes them: the client drains each link and then closes it, and every message that arrived
/// is passed on. Messages in flight are then settled by their lock tokens, over a receiver that receives nothing.
/// </summary>
/// <remarks>
/// ServiceBusProcessor would do, but for its stop: it cancels the waiting receives, and the client drops a message that has just arrived for one
/// of them. The message stays locked.
/// </remarks>
internal sealed class ReceiveLinks(int calls, ServiceBusReceiver[] receivers, Func<ServiceBusReceiver> settling, TimeProvider time) : RunLinks(calls)
{
    /// <summary>
    /// Above this number of waiting receives, Microsoft.Azure.Amqp grants credit in steps (PendingReceiversThreshold). Credit that is granted
    /// during a close ends its drain, and messages would be locked for a link that is gone.
    /// </summary>
    public const int MaxCallsPerLink = 20;

    // Of settlements, for which open links wait that lock messages; and of receives, which no link ends without a connection.
    private static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(2);

    public override ServiceBusReceiver SettlingFor(int call) => IsStopping ? settling() : LinkOf(call);

    public override async Task CloseAsync(Task settlements)
    {
        // What has no answer by then is sent once more by its lock token.
        await settlements.WaitAsync(EndLimit, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Task receiving = Receiving;
        try
        {
            await Task.WhenAll(receivers.Select(receiver => receiver.CloseAsync())).WaitAsync(CloseLimit, time);

            // A closed link ends its receives, some with a message. To cancel them now would lose it.
            await receiving.WaitAsync(EndLimit, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        finally
        {
            // One that connects to a namespace that is out of reach may end only with the client's own retries, which take minutes.
            await Abort.CancelAsync();
            await receiving.WaitAsync(EndLimit, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    protected override Task<ServiceBusReceivedMessage?> ReceiveAsync(int call) => LinkOf(call).ReceiveMessageAsync(cancellationToken: Abort.Token)!;

    private ServiceBusReceiver LinkOf(int call) => receivers[call % receivers.Length];
}
