using System.Collections.Concurrent;
using Messaging.Tests.Handlers.Typed;
using Quayside.Messaging.Handlers;

namespace Messaging.Tests.Handlers.Batches;

/// <summary>Runs the test's code, and records the ids of its messages. The route uses the registered instance.</summary>
internal sealed class ScriptedBatchHandler(Func<MessageBatch<Order>, CancellationToken, ValueTask> script) : IBatchHandler<Order>
{
    private readonly ConcurrentQueue<string> _batches = new();

    /// <summary>The batches in the order of the calls, each as its message ids.</summary>
    public IReadOnlyList<string> Batches => [.. _batches];

    public ValueTask HandleAsync(MessageBatch<Order> batch, CancellationToken cancellationToken)
    {
        _batches.Enqueue(string.Join(' ', batch.Select(order => order.Id)));
        return script(batch, cancellationToken);
    }
}
