using System.Diagnostics.CodeAnalysis;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Polling;

namespace Quayside.Messaging.Planning;

/// <summary>The feature of a source that was added by its class and that of its settings.</summary>
internal sealed class SourceOfOptions<
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TSource,
    [DynamicallyAccessedMembers(OptionsActivator.Settings)] TOptions>(string name, Func<SourcePlan, TOptions, SourcePlan>? change) : ISourceFeature
    where TSource : class, IMessageSource
    where TOptions : class, new()
{
    private readonly string _section = $"Sources:{name}";

    public string Name => name;

    public IReadOnlyList<SettingsSection> Settings => [SettingsSection.Of<TOptions>(_section)];

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        TOptions options = settings.Read<TOptions>(_section, route);
        SourcePlan plan = new()
        {
            Create = services => OptionsActivator.Create<TSource>(services.Services, options, services),
            KeepsDeadLetters = typeof(IPollingSource).IsAssignableFrom(typeof(TSource)),
        };
        return change is null ? plan : change(plan, options);
    }
}
