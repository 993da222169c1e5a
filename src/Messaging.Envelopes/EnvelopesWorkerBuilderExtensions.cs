using Quayside.Messaging.Envelopes;
using Quayside.Messaging.Envelopes.Compression;
using Quayside.Messaging.Envelopes.Encoding;
using Quayside.Messaging.Envelopes.Json;
using Quayside.Messaging.Envelopes.Sns;
using Quayside.Messaging.Envelopes.Splitting;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds envelopes to a worker.</summary>
public static class EnvelopesWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the envelopes that routes may name in <c>Routes:{name}:Envelope</c>: Sns, EventBridge, CloudEvents, Base64, Gzip, Deflate, Zstd, BrokeredMessage,
    /// JsonArray and JsonLines, and Auto for those with unmistakable marks. A route that names none has no part more in its chain.
    /// </summary>
    public static IMessageWorkerBuilder AddEnvelopes(this IMessageWorkerBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        IEnvelopeFeature[] marked =
        [
            new SnsFeature(),
            new EnvelopeFeature("EventBridge", new EventBridgeEnvelope(), EventBridgeEnvelope.IsMarked),
            new EnvelopeFeature("CloudEvents", new CloudEventsEnvelope(), CloudEventsEnvelope.IsMarked),
            new EnvelopeFeature("Base64", new Base64Envelope(), Base64Envelope.IsMarked),
            new EnvelopeFeature("Gzip", new GzipEnvelope(), static body => GzipEnvelope.IsMarked(body.Span)),
            new EnvelopeFeature("Zstd", new ZstdEnvelope(), static body => ZstdEnvelope.IsMarked(body.Span)),
            new EnvelopeFeature("BrokeredMessage", new BrokeredMessageEnvelope(), static body => BrokeredMessageEnvelope.IsMarked(body.Span)),
        ];
        foreach (IEnvelopeFeature envelope in marked)
        {
            builder.AddEnvelope(envelope);
        }

        return builder
            .AddEnvelope(new EnvelopeFeature("Deflate", new DeflateEnvelope()))
            .AddEnvelope(new EnvelopeFeature("JsonArray", new JsonArrayEnvelope(), static body => JsonArrayEnvelope.BeginsLikeOne(body.Span), splits: true))
            .AddEnvelope(new EnvelopeFeature("JsonLines", new JsonLinesEnvelope(), static body => JsonLinesEnvelope.BeginsLikeOne(body.Span), splits: true))
            .AddEnvelope(new AutoFeature(marked));
    }
}
