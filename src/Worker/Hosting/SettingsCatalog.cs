using Worker.Aws;
using Worker.Costs;
using Worker.DeadLetters;
using Worker.Handlers.Archive;
using Worker.Handlers.CloudFront;
using Worker.Intake;
using Worker.Recoverability;
using Worker.Routes;
using Worker.Sinks.Bundles;
using Worker.Sinks.Directory;
using Worker.Sinks.Elasticsearch;
using Worker.Sinks.Memory;
using Worker.Sinks.S3;
using Worker.Sources.Channels;
using Worker.Sources.Http;
using Worker.Sources.ServiceBus;
using Worker.Sources.Sqs;
using Worker.Sources.TcpLines;
using Worker.Sources.Udp;
using Worker.Stages;

namespace Worker.Hosting;

/// <summary>Every section and the class that reads it: the source of the reference in the README.</summary>
internal static class SettingsCatalog
{
    public static IReadOnlyList<(string Section, Type Settings)> All { get; } =
    [
        ("Pipeline", typeof(PipelineOptions)),
        ("Routes:{name}", typeof(RouteOptions)),
        ("Sources:Channel", typeof(ChannelSourceOptions)),
        ("Sources:Http", typeof(HttpSourceOptions)),
        ("Sources:Sqs", typeof(SqsSourceOptions)),
        (UdpSourceOptions.Section, typeof(UdpSourceOptions)),
        (TcpLinesSourceOptions.Section, typeof(TcpLinesSourceOptions)),
        (ServiceBusSourceOptions.Section, typeof(ServiceBusSourceOptions)),
        ("Stages", typeof(StagesOptions)),
        ("Handlers:Archive", typeof(ArchiveOptions)),
        (CloudFrontOptions.Section, typeof(CloudFrontOptions)),
        ("Sinks:Directory", typeof(DirectorySinkOptions)),
        ("Sinks:S3", typeof(S3SinkOptions)),
        (ElasticsearchSinkOptions.Section, typeof(ElasticsearchSinkOptions)),
        ("Sinks:Memory", typeof(MemorySinkOptions)),
        (BundlesOptions.Section, typeof(BundlesOptions)),
        ("DeadLetters", typeof(DeadLettersOptions)),
        ("Intake", typeof(IntakeOptions)),
        ("Recoverability", typeof(RecoverabilityOptions)),
        ("Aws", typeof(AwsOptions)),
        ("Costs", typeof(CostOptions)),
        ("Hosting", typeof(HostingOptions)),
    ];
}
