using Messaging.Configuration;
using Messaging.Intake;
using Messaging.Publishing;
using Messaging.ServiceBus.Port;
using Messaging.Sources;

namespace Messaging.ServiceBus;

/// <summary>Makes <c>ServiceBus</c> a source that routes can name.</summary>
/// <param name="connector">The client library's door.</param>
internal sealed class ServiceBusSourceFeature(IServiceBusConnector connector) : ISourceFeature, ISenderFeature
{
    public string Name => "ServiceBus";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<ServiceBusSourceOptions>(ServiceBusSourceOptions.Section)];

    public IReadOnlyList<string> SenderNames { get; } = ["servicebus"];

    public string SenderTarget => $"straight into the queue or topic of {ServiceBusSourceOptions.Section}";

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        ServiceBusSourceOptions options = settings.Read<ServiceBusSourceOptions>(ServiceBusSourceOptions.Section, route);
        IntakeOptions intake = settings.Read<IntakeOptions>("Intake", route);
        CheckAgainstIntake(settings, options, intake);
        if (connector is NoConnector)
        {
            settings.Fail($"Routes:{route}:Source", Name, $"{NoConnector.Missing} {NoConnector.HowToBuild}", "Nothing could be received.");
        }

        // How long a lock is held against Intake:MessageTimeout is checked above, and the timeout against what takes longer.
        return new SourcePlan
        {
            Create = services => Create(options, services),
            Destination = options.Destination,
            TracesSettlement = true,
            MaxInFlight = options.MaxConcurrentCalls is { } calls ? new SettingValue<int>($"{ServiceBusSourceOptions.Section}:{nameof(options.MaxConcurrentCalls)}", calls) : null,
            Explainer = new ServiceBusExplainer(options),
        };
    }

    public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        ServiceBusSourceOptions options = settings.Read<ServiceBusSourceOptions>(ServiceBusSourceOptions.Section, route);
        return (_, cancellationToken) => ServiceBusMessageSender.OpenAsync(options, connector, cancellationToken);
    }

    private ServiceBusMessageSource Create(ServiceBusSourceOptions options, SourceServices services)
    {
        int calls = options.MaxConcurrentCalls ?? services.Concurrency;
        IServiceBusPump pump = connector.OpenPump(options, new PumpSettings(calls, options.PrefetchCount, ServiceBusSourceOptions.LongestHold));
        return new ServiceBusMessageSource(pump, calls, options, services);
    }

    private static void CheckAgainstIntake(SettingsReader settings, ServiceBusSourceOptions options, IntakeOptions intake)
    {
        const string Section = ServiceBusSourceOptions.Section;
        if (options.MaxConcurrentCalls > intake.Concurrency)
        {
            settings.Fail($"{Section}:{nameof(options.MaxConcurrentCalls)}", $"{options.MaxConcurrentCalls}", $"must not exceed Intake:Concurrency ({intake.Concurrency}).", "A message handed out without a slot would wait with its lock running.");
        }

        if (options.MaxConcurrentCalls is null && options.PrefetchCount > intake.Concurrency)
        {
            settings.Fail($"{Section}:{nameof(options.PrefetchCount)}", $"{options.PrefetchCount}", $"must not exceed Intake:Concurrency ({intake.Concurrency}).", "What is fetched beyond the calls only waits with its lock running.");
        }

        if (intake.MessageTimeout + options.MaxAbandonDelay > options.MaxLockRenewal)
        {
            settings.Fail($"{Section}:{nameof(options.MaxLockRenewal)}", SettingText.Format(options.MaxLockRenewal), $"must be at least Intake:MessageTimeout ({SettingText.Format(intake.MessageTimeout)}) and MaxAbandonDelay ({SettingText.Format(options.MaxAbandonDelay)}) together.", "A message's lock would end while it is in work.");
        }
    }
}
