using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>The sink <c>Elasticsearch</c>: documents in an index or a data stream.</summary>
/// <param name="signing">Signs requests; null where no route may ask for it.</param>
internal sealed class ElasticsearchSinkFeature(IRequestSigning? signing) : ISinkFeature
{
    public string Name => "Elasticsearch";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<ElasticsearchSinkOptions>(ElasticsearchSinkOptions.Section)];

    public SinkKind Kind => SinkKind.Documents;

    public SinkPlan Configure(SettingsReader settings, string route)
    {
        ElasticsearchSinkOptions options = settings.Read<ElasticsearchSinkOptions>(ElasticsearchSinkOptions.Section, route);
        Func<TimeProvider, IRequestSigner>? sign = null;
        if (options.SigV4 != AwsSigning.None && options.Nodes.Count > 0)
        {
            sign = signing?.Configure(settings, route, options.SigV4 == AwsSigning.Aoss ? "aoss" : "es", options.Nodes[0]);
            if (sign is null)
            {
                settings.Fail(
                    $"{ElasticsearchSinkOptions.Section}:{nameof(options.SigV4)}",
                    options.SigV4.ToString(),
                    "needs a program that signs: AddElasticsearch(new AwsRequestSigning()) of Quayside.Messaging.Aws.");
            }
        }

        return new SinkPlan
        {
            Create = services => ElasticsearchSink.Create(options, sign, services),
            StoreTimeout = options.TotalTimeout,
        };
    }
}
