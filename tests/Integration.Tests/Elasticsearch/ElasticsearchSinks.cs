using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Sinks;

namespace Integration.Tests.Elasticsearch;

/// <summary>Opens Elasticsearch sinks the way the feature does.</summary>
internal static class ElasticsearchSinks
{
    public static ElasticsearchSink Open(ElasticsearchSinkOptions options, ILoggerFactory? loggers = null) =>
        ElasticsearchSink.Create(options, sign: null, new SinkServices { Services = null!, Loggers = loggers ?? NullLoggerFactory.Instance });
}
