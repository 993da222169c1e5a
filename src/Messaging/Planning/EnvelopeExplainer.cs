using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Planning;

/// <summary>Takes a message out of a route's envelopes, for commands that explain what the route does with it. Starts and stores nothing.</summary>
internal static class EnvelopeExplainer
{
    /// <param name="route">A route, with or without envelopes.</param>
    /// <param name="message">The message as its source delivers it.</param>
    /// <returns>The messages in it, in their order, and those that would be dead-lettered.</returns>
    /// <exception cref="StartupException">An envelope of the route calls a service.</exception>
    public static IReadOnlyList<ExplainedMessage> Unwrap(RoutePlan route, SampleMessage message)
    {
        ArgumentNullException.ThrowIfNull(route);
        ArgumentNullException.ThrowIfNull(message);
        if (route.Envelopes.FirstOrDefault(envelope => envelope.CallsService) is { } calling)
        {
            throw new StartupException(
                $"Route {route.Name}: to take the content out of the envelope {calling.Name}, a service must be called, which this command does not do. "
                    + "Explain the content under a route without this envelope, or without the setting that needs the call.", ExitCodes.Usage);
        }

        Collector collector = new();
        HandlerServices services = new()
        {
            Route = route.Name,
            Sink = null,
            Circuit = new CircuitBreaker(route.Name, route.Recoverability, TimeProvider.System, NullLogger.Instance),
            Recoverability = route.Recoverability,
            Metrics = new RouteMetrics(route.Name),
            Calls = new ApiCalls(),
            Services = NoServices.Instance,
            DeadLetters = collector,
            Concurrency = 1,
        };
        PipelineBuilder<MessageContext> builder = new(route.Name);
        RoutePlan inOrder = route with
        {
            Unwrapping =
            new UnwrappingOptions { MaxElements = route.Unwrapping.MaxElements, Unrecognized = route.Unwrapping.Unrecognized, ElementConcurrency = 1 }
        };
        foreach (EnvelopePlan envelope in route.Envelopes)
        {
            RouteChain.Unwrap(inOrder, envelope, builder, services);
        }

        builder.Terminator(collector);
        MessageContext context = new() { Message = message };
        builder.Build(route.Form).InvokeAsync(context).AsTask().GetAwaiter().GetResult();
        return context.Settlement.Kind == SettlementKind.DeadLetter ? [new ExplainedMessage(message, context.Settlement)] : collector.Messages;
    }

    private sealed class Collector : ITerminator<MessageContext>, IDeadLetterStore
    {
        public List<ExplainedMessage> Messages { get; } = [];

        public ValueTask InvokeAsync(MessageContext context)
        {
            Messages.Add(new ExplainedMessage(SampleMessage.Of(context.Message), Refusal: null));
            context.Settlement = Settlement.Complete;
            return default;
        }

        public ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
        {
            Messages.Add(new ExplainedMessage(new SampleMessage(body.ToArray(), letter.SourceId), Settlement.DeadLetter(letter.Reason, letter.Description)));
            return ValueTask.FromResult(string.Empty);
        }
    }

    private sealed class NoServices : IServiceProvider
    {
        public static readonly NoServices Instance = new();

        public object? GetService(Type serviceType) => null;
    }
}

/// <summary>A message out of an envelope, as a command explains it.</summary>
/// <param name="Message">The message.</param>
/// <param name="Refusal">The dead letter that it would be; null for none.</param>
internal sealed record ExplainedMessage(SampleMessage Message, Settlement? Refusal);
