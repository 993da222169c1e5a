using System.Diagnostics.CodeAnalysis;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Handlers;

/// <summary>The class that reads a handler's section <c>Handlers:{name}</c>.</summary>
internal abstract class HandlerSettings
{
    private const DynamicallyAccessedMemberTypes Members =
        DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor;

    /// <summary>For handlers without settings: every key of the section is unknown.</summary>
    public static HandlerSettings None { get; } = Of<NoSettings>(isArgument: false);

    /// <summary>True when the handler's constructor takes the settings.</summary>
    public abstract bool IsArgument { get; }

    public static HandlerSettings Of<[DynamicallyAccessedMembers(Members)] T>(bool isArgument)
        where T : class, new() => new Settings<T>(isArgument);

    /// <summary>The section of a handler.</summary>
    public abstract SettingsSection SectionOf(string handler);

    /// <summary>Reads and checks the section for one route.</summary>
    public abstract object Read(SettingsReader settings, string section, string route);

    private sealed class Settings<[DynamicallyAccessedMembers(Members)] T>(bool isArgument) : HandlerSettings
        where T : class, new()
    {
        public override bool IsArgument { get; } = isArgument;

        public override SettingsSection SectionOf(string handler) => SettingsSection.Of<T>($"Handlers:{handler}");

        public override object Read(SettingsReader settings, string section, string route) => settings.Read<T>(section, route);
    }

    private sealed class NoSettings;
}
