using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;

namespace Quayside.Messaging.Planning;

/// <summary>Runs the factories of features. What they throw or leave out ends the start with a sentence that names the feature.</summary>
internal static class FeatureFactory
{
    /// <summary>Creates a route's sink, which is of the kind that its feature promises.</summary>
    /// <exception cref="StartupException">The feature created none, or one of another kind.</exception>
    public static ISink Open(SinkPlan plan, SinkServices services)
    {
        const string Factory = $"{nameof(SinkPlan)}.{nameof(SinkPlan.Create)}";
        ISink sink = Create(services.Route, $"the sink {plan.Name}", Factory, () => plan.Create(services));
        (bool fits, string expected) =
            plan.Kind == SinkKind.Documents ? (sink is IDocumentSink, nameof(IDocumentSink)) : (sink is IObjectSink, nameof(IObjectSink));
        return fits
            ? sink
            : throw new StartupException(
                $"{Prefix(services.Route)}the sink {plan.Name} cannot be created; {Factory} returned {sink.GetType().FullName}, which is not an {expected}.",
                ExitCodes.Configuration);
    }

    /// <summary>Creates a route's source.</summary>
    /// <exception cref="StartupException">The feature created none.</exception>
    public static IMessageSource Open(SourcePlan plan, SourceServices services) =>
        Create(services.Route, $"the source {plan.Name}", $"{nameof(SourcePlan)}.{nameof(SourcePlan.Create)}", () => plan.Create(services));

    /// <summary>Creates an envelope of a route.</summary>
    /// <exception cref="StartupException">The feature created none.</exception>
    public static IEnvelope Open(EnvelopePlan plan, HandlerServices services) =>
        Create(services.Route, $"the envelope {plan.Name}", $"{nameof(EnvelopePlan)}.{nameof(EnvelopePlan.Create)}", () => plan.Create(services));

    /// <summary>Adds the parts of a route's handler.</summary>
    /// <exception cref="StartupException">The feature threw.</exception>
    public static void Compose(HandlerPlan plan, PipelineBuilder<MessageContext> builder, HandlerServices services) =>
        Create(services.Route, $"the handler {plan.Name}", $"{nameof(HandlerPlan)}.{nameof(HandlerPlan.Compose)}", () =>
        {
            plan.Compose(builder, services);
            return builder;
        });

    /// <param name="route">The route.</param>
    /// <param name="feature">The feature, such as <c>the sink S3</c>.</param>
    /// <param name="factory">The factory's name, such as <c>SinkPlan.Create</c>.</param>
    /// <param name="create">The factory.</param>
    /// <exception cref="StartupException">It returned null, or threw.</exception>
    private static T Create<T>(string? route, string feature, string factory, Func<T?> create)
        where T : class
    {
        T? created;
        try
        {
            created = create();
        }
        catch (Exception exception) when (exception is not (StartupException or ConfigurationException or PipelineDefinitionException))
        {
            throw new StartupException($"{Prefix(route)}{feature} cannot be created; {factory} threw {exception}", ExitCodes.Configuration, exception);
        }

        return created ?? throw new StartupException($"{Prefix(route)}{feature} cannot be created; {factory} returned null.", ExitCodes.Configuration);
    }

    private static string Prefix(string? route) => route is null ? string.Empty : $"Route {route}: ";
}
