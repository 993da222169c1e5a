using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;

namespace OrdersApp;

/// <summary>A source with a sender; no route of the tests receives from it.</summary>
internal sealed class OutboxFeature : ISourceFeature, ISenderFeature
{
    public string Name => "Outbox";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<OutboxOptions>("Sources:Outbox")];

    public IReadOnlyList<string> SenderNames { get; } = ["outbox"];

    public string SenderTarget => "appended to Sources:Outbox:Path";

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        settings.Read<OutboxOptions>("Sources:Outbox", route);
        return new SourcePlan { Create = static _ => throw new NotSupportedException("It is only sent to.") };
    }

    public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        OutboxOptions options = settings.Read<OutboxOptions>("Sources:Outbox", route);
        return (_, _) => Task.FromResult<IMessageSender>(new OutboxSender(options.Path));
    }
}
