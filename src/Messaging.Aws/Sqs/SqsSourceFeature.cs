using Messaging.Aws.Sqs.Redrive;
using Messaging.Aws.Sqs.Wire;
using Messaging.Configuration;
using Messaging.DeadLetters.Redrive;
using Messaging.Publishing;
using Messaging.Sources;
using Pipeline.Buffers;

namespace Messaging.Aws.Sqs;

/// <summary>The source <c>Sqs</c> of routes.</summary>
internal sealed class SqsSourceFeature : ISourceFeature, ISenderFeature, IRedriveFeature
{
    public string Name => "Sqs";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<SqsSourceOptions>(SqsSourceOptions.Section)];

    public IReadOnlyList<string> SenderNames { get; } = ["sqs"];

    public string SenderTarget => $"directly to the queue: --{SqsSourceOptions.Section}:{nameof(SqsSourceOptions.Queue)}=name";

    public string RedriveName => "sqs";

    public string RedriveDescription => $"dead-letter queue, moved to the queue: --{SqsSourceOptions.Section}:{nameof(SqsSourceOptions.Queue)}=name";

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        SqsSourceOptions options = settings.Read<SqsSourceOptions>(SqsSourceOptions.Section, route);
        AwsOptions aws = settings.Read<AwsOptions>(AwsOptions.Section, route);
        SqsQueueReference? queue = options.Queue is { } name ? SqsQueueReference.Parse(name) : null;
        bool isFifo = queue is { IsFifo: true };
        AwsCostOptions costs = settings.Read<AwsCostOptions>(AwsCostOptions.Section);
        SqsExplainer explainer = new(options, isFifo, costs);
        return new SourcePlan
        {
            Create = services => Create(options, aws, costs, services),
            Destination = queue?.Destination,
            TracesSettlement = true,

            // A FIFO group is handled one message at a time: the last of a receive waits for all before it.
            Hold = new HoldLimit(new SettingValue<TimeSpan>($"{SqsSourceOptions.Section}:{nameof(options.MaxHoldTime)}", options.MaxHoldTime), isFifo ? SqsLimits.BatchEntries : 1),
            ReceiveUsdPerDay = explainer.ReceiveUsdPerDay,
            Explainer = explainer,
        };
    }

    public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        SqsSourceOptions options = settings.Read<SqsSourceOptions>(SqsSourceOptions.Section, route);
        AwsOptions aws = settings.Read<AwsOptions>(AwsOptions.Section, route);
        return (services, cancellationToken) => SqsSender.OpenAsync(options, aws, services.Time, cancellationToken);
    }

    public Func<CommandServices, CancellationToken, Task<RedriveResult>> ConfigureRedrive(SettingsReader settings, RedriveRequest request)
    {
        SqsSourceOptions options = settings.Read<SqsSourceOptions>(SqsSourceOptions.Section, request.Route);
        AwsOptions aws = settings.Read<AwsOptions>(AwsOptions.Section, request.Route);
        return (services, cancellationToken) => SqsRedrive.RunAsync(options, aws, request, services, cancellationToken);
    }

    private static SqsMessageSource Create(SqsSourceOptions options, AwsOptions aws, AwsCostOptions costs, SourceServices services)
    {
        SqsQueueReference queue = SqsQueueReference.Parse(options.Queue!)!;
        SqsWireOptions wire = new() { VerifyMd5 = options.VerifyMd5 };
        SqsOperation.SetPrices(services.Calls, costs.SqsPerMillion(queue.IsFifo));
        SqsClient client = SqsClient.Create(aws, queue, wire, BufferPool.Shared, services.Time, services.Calls);
        return new SqsMessageSource(client, queue, options, services);
    }
}
