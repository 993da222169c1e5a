using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;
using Messaging.Configuration;
using Messaging.Recoverability;
using Pipeline.Building;
using Pipeline.Contexts;

namespace Messaging.Handlers.Typed;

/// <summary>Makes an <see cref="IMessageHandler{T}"/> a handler that routes can name.</summary>
internal sealed class JsonHandlerFeature<TMessage, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(
    string name, JsonTypeInfo<TMessage> typeInfo) : IHandlerFeature
    where THandler : class, IMessageHandler<TMessage>
{
    private readonly JsonBody<TMessage> _json = new(typeInfo);

    public string Name { get; } = name;

    public HandlerPlan Configure(SettingsReader settings, string route)
    {
        settings.Read<NoSettings>($"Handlers:{Name}", route);
        return new HandlerPlan
        {
            Compose = Compose,

            // It stores nothing in the route's sink, so bundles have nothing to hold against it.
            StoresWholeJson = true,
        };
    }

    private void Compose(PipelineBuilder<PhysicalContext> builder, HandlerServices services)
    {
        THandler handler = PartActivator.Create<THandler>(services.Services, services.Route, services.Owned.Add);
        builder
            .Behavior(new RetryBehavior<PhysicalContext>(services.Recoverability, services.Breaker, services.Time, retriesUnknown: true))
            .Terminator(new JsonHandlerTerminator<TMessage>(handler, typeof(THandler).Name, _json, services.Route, services.Breaker), typeof(THandler).Name);
    }
}
