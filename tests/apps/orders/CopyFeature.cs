using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Pipeline.Contexts;

namespace OrdersApp;

/// <summary>A handler that writes to the route's sink.</summary>
internal sealed class CopyFeature : IHandlerFeature
{
    public string Name => "Copy";

    public IReadOnlyList<SettingsSection> Settings => [];

    public HandlerPlan Configure(SettingsReader settings, string route) => new()
    {
        Compose = (builder, services) => builder
            .Behavior(new RetryBehavior<MessageContext>(services.Recoverability, services.Breaker, services.Time))
            .Terminator(new CopyTerminator(services.Store)),
    };
}
