using System.Text;

namespace Quayside.Messaging.Configuration;

/// <summary>Renders the reference of all configuration keys as Markdown, from the settings classes.</summary>
internal static class SettingsReference
{
    /// <summary>Two tables with a row per key, name, default, description and range: of what most programs set, then of the advanced settings.</summary>
    public static string ToMarkdown(IEnumerable<SettingsSection> sections)
    {
        StringBuilder common = new("### Settings\n| key | default | what it is |\n|---|---|---|\n");
        StringBuilder advanced = new("\n### Advanced settings\nTheir defaults fit nearly every program.\n\n| key | default | what it is |\n|---|---|---|\n");
        foreach (SettingsSection section in sections)
        {
            if (section.SettingsType is not { } type)
            {
                continue;
            }

            object defaults = Activator.CreateInstance(type)!;
            foreach (SettingProperty property in SettingProperty.Of(type))
            {
                (property.Setting.Advanced ? advanced : common)
                    .Append("| `").Append(section.Name).Append(':').Append(property.Name).Append(property.IsNamed ? ":{name}` | " : "` | ")
                    .Append(Default(property, defaults)).Append(" | ")
                    .Append(property.Setting.Description).Append(Range(property.Setting)).Append(" |\n");
            }
        }

        return common.Append(advanced).ToString();
    }

    private static string Default(SettingProperty property, object defaults)
    {
        string value = SettingText.Format(property.Property.GetValue(defaults), property.Setting.Bytes);
        return property.Setting.Required ? "(required)" : value.Length == 0 ? "(not set)" : $"`{value}`";
    }

    private static string Range(SettingAttribute setting) => (setting.Min, setting.Max) switch
    {
        (null, null) => string.Empty,
        ({ } min, null) => $"; {min} or more",
        (null, { } max) => $"; at most {max}",
        ({ } min, { } max) => $"; {min} to {max}",
    };
}
