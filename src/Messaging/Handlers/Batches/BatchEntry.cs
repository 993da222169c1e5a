using Pipeline.Settlements;

namespace Messaging.Handlers.Batches;

/// <summary>One message of a batch.</summary>
internal struct BatchEntry<T>
{
    public T Message;
    public MessageInfo Info;

    /// <summary>What the handler decided; undecided at first.</summary>
    public Settlement Settlement;

    /// <summary>The waiter that the message's route awaits; null in a batch without a worker.</summary>
    public BatchWaiter<T>? Waiter;
}
