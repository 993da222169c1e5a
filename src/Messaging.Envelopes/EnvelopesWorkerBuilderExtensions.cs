using Messaging.Envelopes;
using Messaging.Envelopes.Compression;
using Messaging.Envelopes.Encoding;
using Messaging.Envelopes.Json;
using Messaging.Envelopes.Splitting;

namespace Messaging.Hosting;

/// <summary>Adds envelopes to a worker.</summary>
public static class EnvelopesWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the envelopes that routes may name in <c>Routes:{name}:Envelope</c>: Sns, EventBridge, CloudEvents, Base64, Gzip, Deflate, Zstd, BrokeredMessage,
    /// JsonArray and JsonLines. A route that names none has no part more in its chain.
    /// </summary>
    public static IMessageWorkerBuilder AddEnvelopes(this IMessageWorkerBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder
            .AddEnvelope(new EnvelopeFeature("Sns", new SnsEnvelope()))
            .AddEnvelope(new EnvelopeFeature("EventBridge", new EventBridgeEnvelope()))
            .AddEnvelope(new EnvelopeFeature("CloudEvents", new CloudEventsEnvelope()))
            .AddEnvelope(new EnvelopeFeature("Base64", new Base64Envelope()))
            .AddEnvelope(new EnvelopeFeature("Gzip", new GzipEnvelope()))
            .AddEnvelope(new EnvelopeFeature("Deflate", new DeflateEnvelope()))
            .AddEnvelope(new EnvelopeFeature("Zstd", new ZstdEnvelope()))
            .AddEnvelope(new EnvelopeFeature("BrokeredMessage", new BrokeredMessageEnvelope()))
            .AddEnvelope(new EnvelopeFeature("JsonArray", new JsonArrayEnvelope(), splits: true))
            .AddEnvelope(new EnvelopeFeature("JsonLines", new JsonLinesEnvelope(), splits: true));
    }
}
