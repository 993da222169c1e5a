using Messaging.Configuration;
using Messaging.Publishing;
using Messaging.Sources;

namespace Samples.RabbitMq;

/// <summary>The source <c>RabbitMq</c> of routes, and the sender of <c>publish --to rabbitmq</c>.</summary>
internal sealed class RabbitMqSourceFeature : ISourceFeature, ISenderFeature
{
    public string Name => "RabbitMq";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<RabbitMqOptions>(RabbitMqOptions.Section)];

    public IReadOnlyList<string> SenderNames { get; } = ["rabbitmq"];

    public string SenderTarget => "straight into the queue";

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        RabbitMqOptions options = settings.Read<RabbitMqOptions>(RabbitMqOptions.Section, route);
        return new SourcePlan
        {
            Create = services => new RabbitMqSource(options, services),
            Hold = new HoldLimit(new SettingValue<TimeSpan>($"{RabbitMqOptions.Section}:{nameof(RabbitMqOptions.MaxHoldTime)}", options.MaxHoldTime)),
        };
    }

    public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        RabbitMqOptions options = settings.Read<RabbitMqOptions>(RabbitMqOptions.Section, route);
        return async (_, cancellationToken) => await RabbitMqSender.OpenAsync(options, cancellationToken);
    }
}
