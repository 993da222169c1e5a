using Pipeline.Settlements;

namespace Messaging.Handlers.Batches;

/// <summary>One message of a batch.</summary>
internal struct BatchEntry<T>
{
    public T Message;
    public MessageInfo Info;

    /// <summary>What the handler decided; undecided so far.</summary>
    public Settlement Settlement;

    /// <summary>The message's place in its route; null in a batch without a worker.</summary>
    public BatchWaiter<T>? Waiter;
}
