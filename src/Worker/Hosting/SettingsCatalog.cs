using Messaging.Aws;
using Messaging.Aws.S3.Sink;
using Messaging.Aws.Sqs;
using Messaging.CloudFront;
using Messaging.CloudFront.Elasticsearch;
using Messaging.Costs;
using Messaging.DeadLetters;
using Messaging.Hosting;
using Messaging.Http.Source;
using Messaging.Intake;
using Messaging.Recoverability;
using Messaging.Routes;
using Messaging.ServiceBus;
using Messaging.Sinks.Bundles;
using Messaging.Sinks.Directory;
using Messaging.Sinks.Memory;
using Messaging.Sockets.TcpLines;
using Messaging.Sockets.Udp;
using Messaging.Sources.Channels;
using Messaging.Stages;
using Worker.Archive;

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
