using System.Diagnostics.CodeAnalysis;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Planning;

/// <summary>The feature of a sink that was added by its class and that of its settings.</summary>
internal sealed class SinkOfOptions<
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TSink,
    [DynamicallyAccessedMembers(OptionsActivator.Settings)] TOptions>(
    string name, Func<SinkPlan, TOptions, SinkPlan>? change, bool keepsProperties) : ISinkFeature
    where TSink : class, ISink
    where TOptions : class, new()
{
    private readonly string _section = $"Sinks:{name}";

    public string Name => name;

    public SinkKind Kind => typeof(IDocumentSink).IsAssignableFrom(typeof(TSink)) ? SinkKind.Documents : SinkKind.Objects;

    public bool KeepsProperties => keepsProperties;

    public IReadOnlyList<SettingsSection> Settings => [SettingsSection.Of<TOptions>(_section)];

    public SinkPlan Configure(SettingsReader settings, string route)
    {
        TOptions options = settings.Read<TOptions>(_section, route);
        SinkPlan plan = new() { Create = services => OptionsActivator.Create<TSink>(services.Services, options, services) };
        return change is null ? plan : change(plan, options);
    }
}
