using Quayside.Messaging.Aws;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Costs.Explain;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.CloudFront.Elasticsearch;

/// <summary>The sink <c>Elasticsearch</c>: documents in an index or a data stream.</summary>
internal sealed class ElasticsearchSinkFeature : ISinkFeature, IExplainedFeature
{
    public string Name => "Elasticsearch";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<ElasticsearchSinkOptions>(ElasticsearchSinkOptions.Section)];

    public SinkKind Kind => SinkKind.Documents;

    public IRouteExplainer Explain(SettingsReader settings, string route) => new NoServiceCalls();

    public SinkPlan Configure(SettingsReader settings, string route)
    {
        ElasticsearchSinkOptions options = settings.Read<ElasticsearchSinkOptions>(ElasticsearchSinkOptions.Section, route);
        AwsOptions? aws = options.SigV4 == AwsSigning.None ? null : settings.Read<AwsOptions>(AwsOptions.Section, route);
        return new SinkPlan
        {
            Create = services => ElasticsearchSink.Create(options, aws, services),
            StoreTimeout = options.TotalTimeout,

            // Requests to Elasticsearch have no price of their own.
        };
    }
}
