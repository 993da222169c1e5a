using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds Elasticsearch to a worker.</summary>
public static class ElasticsearchWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the sink <c>Elasticsearch</c>: documents in an index or a data stream. Settings: <c>Sinks:Elasticsearch</c>, and those of the signing.
    /// </summary>
    /// <param name="builder">The worker.</param>
    /// <param name="signing">Signs the requests where <c>Sinks:Elasticsearch:SigV4</c> is set, such as <c>AwsRequestSigning</c>; null where it never
    /// is.</param>
    public static IMessageWorkerBuilder AddElasticsearch(this IMessageWorkerBuilder builder, IRequestSigning? signing = null) =>
        (signing is null ? builder : builder.AddSettings(signing.Settings)).AddSink(new ElasticsearchSinkFeature(signing));
}
