using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Envelopes;

/// <summary>The envelope <c>Auto</c> of routes: whichever has its marks in a message; a message without any is passed on as it is.</summary>
/// <param name="marked">Those with marks.</param>
internal sealed class AutoFeature(IReadOnlyList<IEnvelopeFeature> marked) : IEnvelopeFeature
{
    public string Name => "Auto";

    public EnvelopePlan Configure(SettingsReader settings, string route)
    {
        EnvelopePlan[] plans = [.. marked.Select(envelope => envelope.Configure(settings, route))];
        return new EnvelopePlan
        {
            CallsService = plans.Any(plan => plan.CallsService),
            Create = services => new AutoEnvelope(marked, [.. plans.Select(plan => plan.Create(services))], route, services.Loggers.CreateLogger($"Quayside.Messaging.Routes.{route}")),
        };
    }
}

/// <summary>Opens the envelope that a message is in. Threads: any number of messages concurrently.</summary>
internal sealed partial class AutoEnvelope(IReadOnlyList<IEnvelopeFeature> marked, IEnvelope[] envelopes, string route, ILogger logger) : IEnvelope
{
    private readonly ILogger _logger = logger;
    private readonly int[] _found = new int[marked.Count];

    public ValueTask UnwrapAsync(WrappedMessage message, CancellationToken cancellationToken)
    {
        for (int i = 0; i < marked.Count; i++)
        {
            if (marked[i].IsRecognized(message.Body))
            {
                if (Interlocked.Exchange(ref _found[i], 1) == 0)
                {
                    LogFound(route, marked[i].Name);
                }

                return envelopes[i].UnwrapAsync(message, cancellationToken);
            }
        }

        message.SetContent(message.Body);
        return default;
    }

    public IReadOnlyList<KeyValuePair<string, string>> ReadAttributes(ReceivedMessage message) =>
        marked.Zip(envelopes).FirstOrDefault(one => one.First.IsRecognized(message.Body)).Second?.ReadAttributes(message) ?? [];

    [LoggerMessage(5402, LogLevel.Information, "Route {Route}: Envelope=Auto found messages in the envelope {Envelope}")]
    private partial void LogFound(string route, string envelope);
}
