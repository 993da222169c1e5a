using Quayside.Messaging.Envelopes;
using Quayside.Messaging.Envelopes.Compression;
using Quayside.Messaging.Envelopes.Encoding;
using Quayside.Messaging.Envelopes.Json;
using Quayside.Messaging.Envelopes.Sns;
using Quayside.Messaging.Envelopes.Splitting;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds envelopes to a worker.</summary>
public static class EnvelopesWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the envelopes that routes may name in <c>Routes:{name}:Envelope</c>: Sns, EventBridge, CloudEvents, Base64, Gzip, JsonArray and JsonLines. A route
    /// that names none has no part more in its chain.
    /// </summary>
    public static IMessageWorkerBuilder AddEnvelopes(this IMessageWorkerBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder
            .AddEnvelope(new SnsFeature())
            .AddEnvelope(new EnvelopeFeature("EventBridge", new EventBridgeEnvelope(), EventBridgeEnvelope.IsMarked))
            .AddEnvelope(new EnvelopeFeature("CloudEvents", new CloudEventsEnvelope(), CloudEventsEnvelope.IsMarked))
            .AddEnvelope(new EnvelopeFeature("Base64", new Base64Envelope(), Base64Envelope.IsMarked))
            .AddEnvelope(new EnvelopeFeature("Gzip", new GzipEnvelope(), static body => GzipEnvelope.IsMarked(body.Span)))
            .AddEnvelope(new EnvelopeFeature("JsonArray", new JsonArrayEnvelope(), static body => JsonArrayEnvelope.BeginsLikeOne(body.Span), splits: true))
            .AddEnvelope(new EnvelopeFeature("JsonLines", new JsonLinesEnvelope(), static body => JsonLinesEnvelope.BeginsLikeOne(body.Span), splits: true));
    }
}
