using Microsoft.Extensions.Logging;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.CloudFront.Documents;
using Quayside.Messaging.CloudFront.Events;
using Quayside.Messaging.CloudFront.Gzip;
using Quayside.Messaging.CloudFront.Objects;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;

namespace Quayside.Messaging.CloudFront;

/// <summary>Makes <c>CloudFront</c> a handler that routes can name: S3 event to object to rows to documents.</summary>
internal sealed class CloudFrontHandlerFeature : IHandlerFeature
{
    public string Name => "CloudFront";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<CloudFrontOptions>(CloudFrontOptions.Section)];

    public SinkKind Writes => SinkKind.Documents;

    public HandlerPlan Configure(SettingsReader settings, string route)
    {
        CloudFrontOptions options = settings.Read<CloudFrontOptions>(CloudFrontOptions.Section, route);
        AwsOptions aws = settings.Read<AwsOptions>(AwsOptions.Section, route);
        TimeSpan messageTimeout = settings.Read<IntakeOptions>("Intake", route).MessageTimeout;
        if (options.ObjectTimeout > messageTimeout)
        {
            settings.Fail(
                $"{CloudFrontOptions.Section}:{nameof(CloudFrontOptions.ObjectTimeout)}",
                SettingText.Format(options.ObjectTimeout),
                $"must not be above Intake:MessageTimeout ({SettingText.Format(messageTimeout)}).",
                "The message would be abandoned before its object is indexed.");
        }

        return new HandlerPlan
        {
            Compose = (builder, services) => AddParts(builder, services, options, aws),
            KeepsDeadLetters = true,
            ReadsObjects = true,
        };
    }

    private static void AddParts(PipelineBuilder<MessageContext> builder, HandlerServices services, CloudFrontOptions options, AwsOptions aws)
    {
        S3ObjectReader reader = S3ObjectReader.Create(aws, options.ForcePathStyle, options.ObjectTimeout, services.Time, services.Calls);
        S3LogObjects objects = new(reader);
        services.Owned.Add(objects);
        LogBucketCheck check = new(
            options.Buckets,
            (bucket, limit, cancellationToken) => reader.CheckAsync(bucket, options.KeyPrefix, limit, cancellationToken),
            services.Loggers.CreateLogger<LogBucketCheck>());
        services.Checks.Add(new RouteCheck("the log buckets", check.RunAsync));
        AddParts(builder, services, options, objects, BufferPool.Shared);
    }

    /// <summary>Adds the parts after the check of the buckets.</summary>
    /// <param name="builder">The route's chain.</param>
    /// <param name="services">The route's services.</param>
    /// <param name="options">The settings, which are valid.</param>
    /// <param name="objects">Reads the logs.</param>
    /// <param name="buffers">Lends the memory of bad rows.</param>
    internal static void AddParts(
        PipelineBuilder<MessageContext> builder, HandlerServices services, CloudFrontOptions options, ILogObjects objects, BufferPool buffers)
    {
        // Valid: the columns were checked when the configuration was read.
        DocumentShape.TryCreate(options.Columns, options.Timestamp, out DocumentShape? shape, out _, options.OptionalColumns);
        LogLimits limits = new(new GzipLimits(options.MaxLogBytes, options.MaxRatio), options.MaxRowBytes, options.MaxBadRows);
        CloudFrontMetrics metrics = new(services.Route);
        builder
            .Connector(
                new CloudFrontConnector(
                    new S3EventReader(options.Buckets, options.KeyPrefix, options.KeyEncoding), metrics,
                    services.Concurrency))
            .Behavior(new RetryBehavior<CloudFrontContext>(services.Recoverability, services.Circuit, services.Time))
            .Terminator(new IndexTerminator(
                objects,
                new LogIndexer(shape!, limits, buffers),
                (IDocumentSink)services.Sink!,
                services.SinkName,
                services.Circuit,
                new LogDeadLetterSettings(services.DeadLetters, services.Route, services.Time, metrics, options.MaxBadRows),
                options.ObjectTimeout,
                options.MissingObjectDeliveries,
                services.Loggers.CreateLogger<IndexTerminator>()));
    }
}
