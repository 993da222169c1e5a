using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Handlers.Typed;

/// <summary>Makes an <see cref="IBatchHandler{T}"/> a handler that routes can name.</summary>
internal sealed class JsonBatchHandlerFeature<TMessage, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(
    string name, JsonTypeInfo<TMessage>? typeInfo, HandlerSettings settings, bool isScoped)
    : JsonFeature<TMessage>(name, typeInfo, settings, typeof(THandler), SinkKind.None)
    where THandler : class, IBatchHandler<TMessage>
{
    protected override HandlerPlan Plan(JsonBody<TMessage> json, object options, object[] arguments)
    {
        BatchOptions batches = (BatchOptions)options;
        return new HandlerPlan
        {
            Compose = (builder, services) => Compose(builder, services, json, batches, arguments),
            Batching = new Batching(
                "batch",
                "handled",
                new SettingValue<int>($"Handlers:{Name}:{nameof(batches.MaxMessages)}", batches.MaxMessages),
                new SettingValue<TimeSpan>($"Handlers:{Name}:{nameof(batches.MaxAge)}", batches.MaxAge)),
        };
    }

    private void Compose(
        PipelineBuilder<MessageContext> builder, HandlerServices services, JsonBody<TMessage> json, BatchOptions options, object[] arguments)
    {
        IBatchHandler<TMessage> handler = isScoped
            ? new ScopedBatchHandler<TMessage, THandler>(services.CreateScoped<THandler>(arguments))
            : services.Create<THandler>(arguments);
        HandlerReports reports = services.ReportsOf(typeof(THandler));
        BatchCollector<TMessage> collector = new(handler, options, services, reports);
        services.Owned.Add(collector);
        services.Stopping.Add(collector.StopWaiting);
        builder.Service(handler, $"the handler {reports.Handler}");
        builder.Terminator(new JsonBatchTerminator<TMessage>(json, collector), reports.Handler);
    }
}

/// <summary>Reads the body and adds the message to a batch.</summary>
internal sealed class JsonBatchTerminator<TMessage>(JsonBody<TMessage> json, BatchCollector<TMessage> collector) : ITerminator<MessageContext>
{
    public ValueTask InvokeAsync(MessageContext context)
    {
        if (json.TryRead(context.Message.Body.Span, out TMessage? message, out Settlement refusal))
        {
            return collector.JoinAsync(context, message);
        }

        context.Settlement = refusal;
        return default;
    }
}

/// <summary>
/// Handles each batch with a handler in a scope of its own. An error on disposing the scope counts as the handler's; what the handler settled stays settled.
/// </summary>
internal sealed class ScopedBatchHandler<TMessage,
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(ScopedFactory<THandler> handlers)
    : IBatchHandler<TMessage>
    where THandler : class, IBatchHandler<TMessage>
{
    public async ValueTask HandleAsync(MessageBatch<TMessage> batch, CancellationToken cancellationToken)
    {
        await using ScopedFactory<THandler>.Lease lease = handlers.Open();
        await lease.Handler.HandleAsync(batch, cancellationToken);
    }
}
