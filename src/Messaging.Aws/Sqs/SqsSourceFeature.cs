using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>The source <c>Sqs</c> of routes.</summary>
internal sealed class SqsSourceFeature : ISourceFeature, ISenderFeature, IRedriveFeature
{
    public string Name => "Sqs";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<SqsSourceOptions>(SqsSourceOptions.Section)];

    public IReadOnlyList<string> SenderNames { get; } = ["sqs"];

    public string SenderTarget => $"directly to the queue: --{SqsSourceOptions.Section}:{nameof(SqsSourceOptions.Queue)}=name";

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        SqsSourceOptions options = settings.Read<SqsSourceOptions>(SqsSourceOptions.Section, route);
        AwsOptions aws = settings.Read<AwsOptions>(AwsOptions.Section, route);
        IntakeOptions intake = settings.Read<IntakeOptions>("Intake", route);
        CheckAgainstIntake(settings, options, intake);
        SqsQueueReference? queue = options.Queue is { } name ? SqsQueueReference.Parse(name) : null;
        bool isFifo = queue is { IsFifo: true };
        return new SourcePlan
        {
            Create = services => Create(options, aws, intake, services),
            CountsDeadLetters = true,
            IsLeftToStart = () => AwsRegion.AsksInstance(aws, queue!.Region, Environment.GetEnvironmentVariable),
            Destination = queue?.Destination,
            TracesSettlement = true,
            CanGive = value => value.Kind is MessageValueKind.Attribute or MessageValueKind.Group || (isFifo && value.Kind == MessageValueKind.DeduplicationId),

            // A FIFO group is handled one message at a time: the last of a receive waits for all before it. No Hold for a standard queue:
            // CheckAgainstIntake has compared MaxHoldTime with Intake:MessageTimeout.
            Hold = isFifo
                ? new HoldLimit(
                    new SettingValue<TimeSpan>($"{SqsSourceOptions.Section}:{nameof(options.MaxHoldTime)}", options.MaxHoldTime), SqsLimits.BatchEntries)
                : null,
        };
    }

    public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        CommandArguments.Check(settings, route, url);
        SqsSourceOptions options = settings.Read<SqsSourceOptions>(SqsSourceOptions.Section, route);
        AwsOptions aws = settings.Read<AwsOptions>(AwsOptions.Section, route);
        return (services, cancellationToken) => SqsSender.OpenAsync(options, aws, services.Time, cancellationToken);
    }

    public Func<CommandServices, CancellationToken, Task<IDeadLetterQueue>> ConfigureRedrive(SettingsReader settings, RedriveRequest request)
    {
        CommandArguments.Check(settings, request.Route, request.Url);
        SqsSourceOptions options = settings.Read<SqsSourceOptions>(SqsSourceOptions.Section, request.Route);
        AwsOptions aws = settings.Read<AwsOptions>(AwsOptions.Section, request.Route);
        return (services, _) => Task.FromResult<IDeadLetterQueue>(new SqsDeadLetterQueue(
            SqsClient.Create(aws, SqsQueueReference.Parse(options.Queue!)!, new SqsWireOptions(), BufferPool.Shared, services.Time), options, services.Time));
    }

    private static void CheckAgainstIntake(SettingsReader settings, SqsSourceOptions options, IntakeOptions intake)
    {
        if (options.MaxHoldTime < intake.MessageTimeout)
        {
            settings.Fail(
                $"{SqsSourceOptions.Section}:{nameof(options.MaxHoldTime)}",
                SettingText.Format(options.MaxHoldTime),
                $"must be at least Intake:MessageTimeout ({SettingText.Format(intake.MessageTimeout)}).",
                "A message whose first attempt takes that long could not be held: it would be abandoned immediately, at the cost of a delivery.");
        }
    }

    private static SqsMessageSource Create(SqsSourceOptions options, AwsOptions aws, IntakeOptions intake, SourceServices services)
    {
        AwsCredentialSource.CheckProfile(aws);
        SqsQueueReference queue = SqsQueueReference.Parse(options.Queue!)!;
        BufferPool buffers = new(new ResponseArrays((services.Concurrency / SqsLimits.BatchEntries) + 1));
        SqsClient client = SqsClient.Create(aws, queue, new SqsWireOptions(), buffers, services.Time, services.Calls);
        return new SqsMessageSource(client, queue, options, services, intake.MessageTimeout);
    }
}
