using System.Diagnostics.CodeAnalysis;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Handlers;

/// <summary>The class that reads a handler's section <c>Handlers:{name}</c>.</summary>
/// <param name="IsArgument">True when the handler's constructor takes the settings.</param>
/// <param name="SectionOf">The section of a handler, by its name.</param>
/// <param name="Read">Reads and checks the section for one route.</param>
internal sealed record HandlerSettings(bool IsArgument, Func<string, SettingsSection> SectionOf, Func<SettingsReader, string, string, object> Read)
{
    private const DynamicallyAccessedMemberTypes Members =
        DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor;

    /// <summary>For handlers without settings: every key of the section is unknown.</summary>
    public static HandlerSettings None { get; } = Of<NoSettings>(isArgument: false);

    public static HandlerSettings Of<[DynamicallyAccessedMembers(Members)] T>(bool isArgument)
        where T : class, new() =>
        new(
            isArgument,
            static handler => SettingsSection.Of<T>($"Handlers:{handler}"),
            static (settings, section, route) => settings.Read<T>(section, route));

    private sealed class NoSettings;
}
