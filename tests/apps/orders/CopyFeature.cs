using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;

namespace OrdersApp;

/// <summary>A handler that writes to the route's sink.</summary>
internal sealed class CopyFeature : IHandlerFeature
{
    public string Name => "Copy";

    public IReadOnlyList<SettingsSection> Settings => [];

    public HandlerPlan Configure(SettingsReader settings, string route) => new()
    {
        Compose = (builder, services) => builder
            .Behavior(services.Retry)
            .Terminator(new CopyTerminator(services.Store)),
    };
}
