using Messaging.Aws.Sqs.Wire;
using Messaging.Configuration;
using Messaging.Publishing;
using Messaging.Sources;
using Pipeline.Buffers;

namespace Messaging.Aws.Sqs;

/// <summary>Makes <c>Sqs</c> a source that routes can name.</summary>
internal sealed class SqsSourceFeature : ISourceFeature, ISenderFeature
{
    public string Name => "Sqs";

    public IReadOnlyList<string> SenderNames { get; } = ["sqs"];

    public string SenderTarget => $"straight into the queue: --{SqsSourceOptions.Section}:{nameof(SqsSourceOptions.Queue)}=name";

    public Func<SourceServices, IMessageSource> Configure(SettingsReader settings, string route)
    {
        SqsSourceOptions options = settings.Read<SqsSourceOptions>(SqsSourceOptions.Section, route);
        AwsOptions aws = settings.Read<AwsOptions>(AwsOptions.Section, route);
        return services =>
        {
            SqsQueueReference queue = SqsQueueReference.Parse(options.Queue!)!;
            SqsWireOptions wire = new() { VerifyMd5 = options.VerifyMd5 };
            if (services.Calls is { } calls)
            {
                calls.IsFifo = queue.IsFifo;
            }

            SqsClient client = SqsClient.Create(aws, queue, wire, BufferPool.Shared, services.Time, services.Calls);
            return new SqsMessageSource(client, queue, options, services);
        };
    }

    public Func<SenderServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        SqsSourceOptions options = settings.Read<SqsSourceOptions>(SqsSourceOptions.Section, route);
        AwsOptions aws = settings.Read<AwsOptions>(AwsOptions.Section, route);
        return (services, cancellationToken) => SqsSender.OpenAsync(options, aws, services.Time, cancellationToken);
    }
}
