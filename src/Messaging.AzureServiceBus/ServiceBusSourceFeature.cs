using Azure.Messaging.ServiceBus;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>The source <c>ServiceBus</c> of routes.</summary>
/// <param name="createClient">Creates clients: <see cref="ServiceBusSourceOptions.CreateClient"/>, but for tests.</param>
internal sealed class ServiceBusSourceFeature(
    Func<ServiceBusSourceOptions, ServiceBusRetryOptions?, ServiceBusClient> createClient) : ISourceFeature, ISenderFeature, IRedriveFeature
{
    public string Name => "ServiceBus";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<ServiceBusSourceOptions>(ServiceBusSourceOptions.Section)];

    public IReadOnlyList<string> SenderNames { get; } = ["servicebus"];

    public string SenderTarget => $"directly to the queue or topic of {ServiceBusSourceOptions.Section}";

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        ServiceBusSourceOptions options = settings.Read<ServiceBusSourceOptions>(ServiceBusSourceOptions.Section, route);
        IntakeOptions intake = settings.Read<IntakeOptions>("Intake", route);
        CheckAgainstIntake(settings, options, intake);
        if (options.Topic is not null && options.Subscription is null)
        {
            settings.Fail(
                $"{ServiceBusSourceOptions.Section}:{nameof(options.Subscription)}", null, "must be set with Topic.",
                "Messages of a topic are received from a subscription.");
        }

        // No Hold: the lock of a message in flight is renewed for half a day, however short MaxLockRenewal is.
        return new SourcePlan
        {
            Create = services => Create(options, options.ConcurrentCalls(intake), services),
            Destination = options.Destination,
            TracesSettlement = true,
            IsPushed = true,
            MaxInFlight = options.MaxConcurrentCalls is { } calls
                ? new SettingValue<int>($"{ServiceBusSourceOptions.Section}:{nameof(options.MaxConcurrentCalls)}", calls)
                : null,
        };
    }

    public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        CommandArguments.Check(settings, route, url);
        ServiceBusSourceOptions options = settings.Read<ServiceBusSourceOptions>(ServiceBusSourceOptions.Section, route);
        return (_, cancellationToken) => ServiceBusMessageSender.OpenAsync(createClient(options, null), options, cancellationToken);
    }

    public Func<CommandServices, CancellationToken, Task<IDeadLetterQueue>> ConfigureRedrive(SettingsReader settings, RedriveRequest request)
    {
        CommandArguments.Check(settings, request.Route, request.Url);
        ServiceBusSourceOptions options = settings.Read<ServiceBusSourceOptions>(ServiceBusSourceOptions.Section, request.Route);
        if (options.Topic is { } topic)
        {
            settings.Fail(
                $"{ServiceBusSourceOptions.Section}:{nameof(options.Topic)}", topic, "has no redrive: set Queue.",
                "A message that is sent to the topic would reach its other subscriptions too. "
                    + "Service Bus Explorer in Azure's portal shows a subscription's dead letters.");
        }

        return (services, _) => Task.FromResult<IDeadLetterQueue>(
            new ServiceBusDeadLetterQueue(createClient(options, null), options, request, services.Time));
    }

    private ServiceBusMessageSource Create(ServiceBusSourceOptions options, int calls, SourceServices services) =>
        new(new ServiceBusEntity(createClient(options, null), createClient(options, ServiceBusEntity.CheckRetries), options, services.Time), calls, options,
            services);

    private static void CheckAgainstIntake(SettingsReader settings, ServiceBusSourceOptions options, IntakeOptions intake)
    {
        const string Section = ServiceBusSourceOptions.Section;
        if (options.MaxConcurrentCalls > intake.Concurrency)
        {
            settings.Fail(
                $"{Section}:{nameof(options.MaxConcurrentCalls)}", $"{options.MaxConcurrentCalls}",
                $"must not exceed Intake:Concurrency ({intake.Concurrency}).", "A message received without a slot would wait while its lock runs out.");
        }

        int calls = options.ConcurrentCalls(intake);
        if (options.PrefetchCount > calls)
        {
            settings.Fail(
                $"{Section}:{nameof(options.PrefetchCount)}", $"{options.PrefetchCount}",
                $"must not exceed {(options.MaxConcurrentCalls is null ? "the default of " : "")}{nameof(options.MaxConcurrentCalls)} ({calls}).",
                "Messages fetched beyond the calls would wait while their locks run out.");
        }
    }
}
