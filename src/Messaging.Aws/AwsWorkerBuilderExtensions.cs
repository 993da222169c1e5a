using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.ExtendedClient;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Aws.Sqs;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds AWS sources and sinks to a worker.</summary>
public static class AwsWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the source <c>Sqs</c>: messages of an Amazon SQS queue, deleted after they are stored. Settings: <c>Sources:Sqs</c> and <c>Aws</c>.
    /// </summary>
    public static IMessageWorkerBuilder AddSqs(this IMessageWorkerBuilder builder) =>
        builder.AddSettings(AwsOptions.Settings).AddSource(new SqsSourceFeature());

    /// <summary>
    /// Adds the envelope <c>ExtendedClient</c>: messages of the SQS Extended Client, whose payloads are in S3. Settings: <c>Envelopes:ExtendedClient</c> and
    /// <c>Aws</c>.
    /// </summary>
    public static IMessageWorkerBuilder AddExtendedClient(this IMessageWorkerBuilder builder) =>
        builder.AddSettings(AwsOptions.Settings).AddEnvelope(new ExtendedClientFeature());

    /// <summary>Adds the sink <c>S3</c>: an object per message or bundle in a bucket. Settings: <c>Sinks:S3</c> and <c>Aws</c>.</summary>
    public static IMessageWorkerBuilder AddS3(this IMessageWorkerBuilder builder) => builder.AddSettings(AwsOptions.Settings).AddSink(new S3SinkFeature());
}
