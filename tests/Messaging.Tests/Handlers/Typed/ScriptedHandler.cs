using System.Collections.Concurrent;
using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Typed;

/// <summary>Runs the test's code, and records its messages. The route uses the registered instance.</summary>
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
