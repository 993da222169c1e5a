using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;

namespace Quayside.Messaging.RabbitMq;

/// <summary>The source <c>RabbitMq</c> of routes, the sender of <c>publish --to rabbitmq</c>, and the redrive of its dead letters.</summary>
internal sealed class RabbitMqSourceFeature : ISourceFeature, ISenderFeature, IRedriveFeature
{
    private const string PrefetchKey = $"{RabbitMqSourceOptions.Section}:{nameof(RabbitMqSourceOptions.Prefetch)}";

    public string Name => "RabbitMq";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<RabbitMqSourceOptions>(RabbitMqSourceOptions.Section)];

    public IReadOnlyList<string> SenderNames { get; } = ["rabbitmq"];

    public string SenderTarget => $"directly to the queue of {RabbitMqSourceOptions.Section}";

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        RabbitMqSourceOptions options = settings.Read<RabbitMqSourceOptions>(RabbitMqSourceOptions.Section, route);
        int slots = settings.Read<IntakeOptions>("Intake", route).Concurrency;
        if (options.Prefetch > slots)
        {
            settings.Fail(
                PrefetchKey, $"{options.Prefetch}", $"must not exceed Intake:Concurrency ({slots}).", "Further messages would wait in the worker's memory.");
        }

        return new SourcePlan
        {
            Create = services => new RabbitMqMessageSource(options, services),
            CountsDeadLetters = true,
            Hold = new HoldLimit(new SettingValue<TimeSpan>($"{RabbitMqSourceOptions.Section}:{nameof(options.MaxHoldTime)}", options.MaxHoldTime)),
            CanGive = static value =>
                value is not ({ Kind: MessageValueKind.Group or MessageValueKind.DeduplicationId } or { Kind: MessageValueKind.SystemProperty, Name: "to" }),
            Destination = options.Destination,
            MaxInFlight = options.Prefetch is { } prefetch ? new SettingValue<int>(PrefetchKey, prefetch) : null,
        };
    }

    public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        CommandArguments.Check(settings, route, url);
        RabbitMqSourceOptions options = settings.Read<RabbitMqSourceOptions>(RabbitMqSourceOptions.Section, route);
        return (services, cancellationToken) => RabbitMqMessageSender.OpenAsync(options, services, cancellationToken);
    }

    public Func<CommandServices, CancellationToken, Task<IDeadLetterQueue>> ConfigureRedrive(SettingsReader settings, RedriveRequest request)
    {
        CommandArguments.Check(settings, request.Route, request.Url);
        RabbitMqSourceOptions options = settings.Read<RabbitMqSourceOptions>(RabbitMqSourceOptions.Section, request.Route);
        return async (services, cancellationToken) => new RabbitMqDeadLetterQueue(
            await RabbitMqBroker.OpenAsync(options, "redrive to", [options.Queue, options.DeadLetters], services.Error, cancellationToken),
            options, services.Time);
    }
}
