using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;

namespace Quayside.Messaging.Handlers.Typed;

/// <summary>Makes an <see cref="IMessageHandler{T}"/> a handler that routes can name.</summary>
internal sealed class JsonHandlerFeature<TMessage, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(
    string name, JsonTypeInfo<TMessage>? typeInfo, HandlerSettings settings, bool isScoped, SinkKind writes = SinkKind.None)
    : JsonFeature<TMessage>(name, typeInfo, settings, typeof(THandler), writes)
    where THandler : class, IMessageHandler<TMessage>
{
    protected override HandlerPlan Plan(JsonBody<TMessage> json, object options, object[] arguments) =>
        new() { Compose = (builder, services) => Compose(builder, services, json, arguments) };

    private void Compose(PipelineBuilder<MessageContext> builder, HandlerServices services, JsonBody<TMessage> json, object[] arguments)
    {
        bool stores = Writes == SinkKind.Objects;
        arguments = stores ? [.. arguments, services.Store] : arguments;
        IMessageHandler<TMessage> handler = isScoped
            ? new ScopedHandler<TMessage, THandler>(services.CreateScoped<THandler>(arguments))
            : services.Create<THandler>(arguments);
        HandlerReports reports = services.ReportsOf(typeof(THandler));
        if (services.Recoverability.Attempts > 1)
        {
            builder.Behavior(new RetryBehavior<MessageContext>(services.Recoverability, services.Circuit, services.Time, retriesUnknown: true));
        }

        builder.Service(handler, $"the handler {reports.Handler}");
        builder.Terminator(new JsonHandlerTerminator<TMessage>(handler, json, services.Route, reports, stores), reports.Handler);
    }
}
