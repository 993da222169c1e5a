using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Stages;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;

namespace Quayside.Messaging.Planning;

/// <summary>Composes the pipeline of a route. Opens nothing and needs neither region nor credentials.</summary>
internal static class RouteChain
{
    /// <param name="plan">The route.</param>
    /// <param name="services">The services for the handler's parts; collects their checks at start.</param>
    public static IPipeline<MessageContext> Compose(RoutePlan plan, HandlerServices services)
    {
        PipelineBuilder<MessageContext> builder = Begin(plan);
        if (services.Sink is { } sink)
        {
            builder.Service(sink, $"the sink {plan.Sink!.Name}");
        }

        foreach (EnvelopePlan envelope in plan.Envelopes)
        {
            Unwrap(plan, envelope, builder, services);
        }

        foreach (RoutePart part in plan.Parts)
        {
            part.Compose(builder, services);
        }

        FeatureFactory.Compose(plan.Handler, builder, services);
        return builder.Build(plan.Form);
    }

    /// <summary>
    /// Adds the part that takes messages out of one envelope. It runs within the message's span and before all other parts, which see the content.
    /// </summary>
    public static void Unwrap(RoutePlan plan, EnvelopePlan envelope, PipelineBuilder<MessageContext> builder, HandlerServices services)
    {
        UnwrapRules rules = new(
            envelope.Name,
            (int)plan.MaxMessageBytes,
            plan.IsBundled || plan.Handler.Batching is not null ? int.MaxValue : plan.Unwrapping.ElementConcurrency,
            plan.Unwrapping,
            services);
        UnwrapBehavior behavior = new(FeatureFactory.Open(envelope, services), rules);
        if (envelope.Splits)
        {
            builder.Fork(behavior, envelope.Name);
        }
        else
        {
            builder.Behavior(behavior, envelope.Name);
        }
    }

    /// <summary>The worker's own parts, which precede all others.</summary>
    public static PipelineBuilder<MessageContext> Begin(RoutePlan plan) =>
        new PipelineBuilder<MessageContext>(plan.Name).Behavior(new TracingBehavior(plan.Name));
}

/// <summary>The pipeline of a route to print, with a sink that needs neither region nor credentials.</summary>
internal static class PrintedChain
{
    public static IPipeline<MessageContext> Compose(RoutePlan plan, IServiceProvider services)
    {
        ILoggerFactory loggers = services.GetRequiredService<ILoggerFactory>();
        CircuitBreaker breaker = new(plan.Name, plan.Recoverability, TimeProvider.System, loggers.CreateLogger<CircuitBreaker>());
        return RouteChain.Compose(plan, new HandlerServices
        {
            Route = plan.Name,
            Sink = plan.Sink is null ? null : new PrintedSink(),
            Circuit = breaker,
            Recoverability = plan.Recoverability,
            Metrics = new RouteMetrics(plan.Name),
            Calls = new ApiCalls(),
            Services = services,
            DeadLetters = services.GetRequiredService<IDeadLetterStore>(),
            Loggers = loggers,
            Concurrency = plan.Slots,
            SinkRetries = plan.Sink is { Retries: true },
        });
    }
}

/// <summary>Replaces a route's sink in a pipeline to print; a real one would need a region and credentials.</summary>
internal sealed class PrintedSink : IObjectSink, IDocumentSink
{
    public Task CheckAsync(CancellationToken cancellationToken) => throw NotRun();

    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) => throw NotRun();

    public string Locate(string key) => throw NotRun();

    public IDocumentWriter Begin(IDocumentRejections rejections) => throw NotRun();

    public ValueTask DisposeAsync() => default;

    private static NotSupportedException NotRun() => new("The chain is printed, not run.");
}
