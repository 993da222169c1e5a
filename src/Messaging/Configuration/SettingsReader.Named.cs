using Microsoft.Extensions.Configuration;

namespace Quayside.Messaging.Configuration;

/// <content>Lists of named values: <c>Tags:team</c>, <c>Tags:cost:centre</c>.</content>
public sealed partial class SettingsReader
{
    /// <summary>Reads the named values of all layers: a route adds to the shared ones, and replaces those with its names.</summary>
    /// <returns>False when a problem was reported and the property keeps its default.</returns>
    private bool ReadNamed(object settings, SettingProperty property, string[] layers)
    {
        Dictionary<string, string> values = new(StringComparer.OrdinalIgnoreCase);
        Dictionary<string, string> keys = new(StringComparer.OrdinalIgnoreCase);
        foreach (string layer in Enumerable.Reverse(layers))
        {
            string key = $"{layer}:{property.Name}";
            foreach ((string name, string value) in NamedIn(key))
            {
                // Removed first, so that the name is written as the layer that wins writes it.
                values.Remove(name);
                values[name] = value;
                keys[name] = $"{key}:{name}";
            }
        }

        if (values.Count == 0)
        {
            string none = $"{layers[^1]}:{property.Name}";
            _effective[none] = new EffectiveSetting(none, string.Empty, IsDefault: true, property.Setting.Description);
            return true;
        }

        foreach ((string name, string value) in values)
        {
            string shown = property.Setting.Secret ? "***" : SettingText.MaskNamed(name, value);
            _effective[keys[name]] = new EffectiveSetting(keys[name], shown, IsDefault: false, property.Setting.Description);
        }

        property.Property.SetValue(settings, values);
        return true;
    }

    /// <summary>The named values below a key. A name may hold colons; an empty value counts as not set.</summary>
    private KeyValuePair<string, string>[] NamedIn(string key) =>
    [
        .. Configuration.GetSection(key).AsEnumerable(makePathsRelative: true)
            .Where(pair => pair.Key.Length > 0 && !string.IsNullOrWhiteSpace(pair.Value))
            .Select(pair => new KeyValuePair<string, string>(pair.Key, pair.Value!.Trim()))
            .OrderBy(pair => pair.Key, StringComparer.Ordinal),
    ];

    /// <summary>Reports a single value where named values belong.</summary>
    private void FindUnnamed(IConfigurationSection section)
    {
        if (!string.IsNullOrWhiteSpace(section.Value))
        {
            Fail(section.Path, value: null, $"must be a section of named values, such as {section.Path}:name=value.", "It would have no effect.");
        }
    }
}
