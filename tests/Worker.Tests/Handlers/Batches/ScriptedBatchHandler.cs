using System.Collections.Concurrent;
using Messaging.Handlers;
using Worker.Tests.Handlers.Typed;

namespace Worker.Tests.Handlers.Batches;

/// <summary>Does what the test says, and keeps the ids it was given. Register the instance, and the route uses it.</summary>
internal sealed class ScriptedBatchHandler(Func<MessageBatch<Order>, CancellationToken, ValueTask> script) : IBatchHandler<Order>
{
    private readonly ConcurrentQueue<string> _batches = new();

    /// <summary>The batches in the order of the calls, each as its ids.</summary>
    public IReadOnlyList<string> Batches => [.. _batches];

    public ValueTask HandleAsync(MessageBatch<Order> batch, CancellationToken cancellationToken)
    {
        _batches.Enqueue(string.Join(' ', batch.Select(order => order.Id)));
        return script(batch, cancellationToken);
    }
}
