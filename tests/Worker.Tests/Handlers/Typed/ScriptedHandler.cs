using System.Collections.Concurrent;
using Messaging.Handlers;
using Pipeline.Settlements;

namespace Worker.Tests.Handlers.Typed;

/// <summary>Does what the test says, and keeps what it was given. Register the instance, and the route uses it.</summary>
internal sealed class ScriptedHandler(Func<Order, MessageInfo, CancellationToken, ValueTask<Settlement>> script) : IMessageHandler<Order>
{
    private readonly ConcurrentQueue<(Order Order, int Delivery)> _calls = new();

    /// <summary>Messages and their deliveries, in the order of the calls.</summary>
    public IReadOnlyList<(Order Order, int Delivery)> Calls => [.. _calls];

    public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken)
    {
        _calls.Enqueue((message, info.DeliveryCount));
        return script(message, info, cancellationToken);
    }
}
