namespace Quayside.Messaging.Configuration;

/// <summary>The sections that the parts of a worker read, in the order of the reference. Immutable.</summary>
internal sealed class SettingsSections
{
    // Known even when no feature has settings there.
    private static readonly string[] FeatureRoots = ["Sources", "Envelopes", "Handlers", "Sinks"];

    /// <summary>For a reader that knows only the sections it is asked for.</summary>
    public static readonly SettingsSections None = new([]);

    private IReadOnlyList<ConfigurationError>? _faults;

    public SettingsSections(IReadOnlyList<SettingsSection> all)
    {
        All = all;
        Roots = [.. all.Select(section => section.Root).Union(FeatureRoots, StringComparer.OrdinalIgnoreCase)];
        RouteRoots = [.. all.Where(section => section.IsPerRoute).Select(section => section.Root).Union(FeatureRoots, StringComparer.OrdinalIgnoreCase)];
    }

    /// <summary>All sections; one that several classes read is listed once per class.</summary>
    public IReadOnlyList<SettingsSection> All { get; }

    /// <summary>The names of the first level of the configuration.</summary>
    public IReadOnlyList<string> Roots { get; }

    /// <summary>The first levels of the sections that a route may hold beside its own keys.</summary>
    public IReadOnlyList<string> RouteRoots { get; }

    /// <summary>Faults in the declared sections: one inside another, a key that two classes declare, or a key that cannot hold a value.</summary>
    public IReadOnlyList<ConfigurationError> Faults => _faults ??= [.. FindFaults()];

    /// <summary>The keys of a class.</summary>
    public static IEnumerable<string> KeysOf(SettingsSection section) => PropertiesOf(section).Select(property => property.Name);

    /// <summary>The keys that other classes read in a section.</summary>
    /// <param name="section">The section.</param>
    /// <param name="reader">The class whose keys are known already.</param>
    /// <param name="perRoute">True below a route, where only sections that a route may override count.</param>
    public IEnumerable<string> OtherKeys(string section, Type reader, bool perRoute) => All
        .Where(other => string.Equals(other.Name, section, StringComparison.OrdinalIgnoreCase)
            && other.SettingsType != reader
            && (other.IsPerRoute || !perRoute))
        .SelectMany(KeysOf);

    private IEnumerable<ConfigurationError> FindFaults()
    {
        foreach (SettingsSection section in All)
        {
            foreach (SettingProperty property in PropertiesOf(section))
            {
                if (FindFault(section, property) is { } fault)
                {
                    yield return new ConfigurationError($"{section.Name}:{property.Name}", Value: null, fault, "It could not be configured.");
                }
            }
        }

        foreach ((int index, SettingsSection section) in All.Index())
        {
            foreach (SettingsSection other in All.Take(index))
            {
                if (FindCollision(other, section) is { } error)
                {
                    yield return error;
                }
            }
        }
    }

    private static SettingProperty[] PropertiesOf(SettingsSection section) => section.SettingsType is { } type ? SettingProperty.Of(type) : [];

    private static string? FindFault(SettingsSection section, SettingProperty property)
    {
        if (property.Property.SetMethod is null)
        {
            return $"is a property of {Describe(section)} that cannot be set: give it a setter.";
        }

        if (!SettingText.IsReadable(property.Type))
        {
            return $"is a property of {Describe(section)} with the type {property.Type}, which cannot be read from text: use string, string[], "
                + "IReadOnlyDictionary<string, string>, bool, int, long, double, decimal, TimeSpan, DateTimeOffset, Uri or an enum.";
        }

        SettingAttribute setting = property.Setting;
        string? wrong = Array.Find([setting.Min, setting.Max], bound => bound is not null && !SettingText.TryParse(bound, property.Type, setting.Bytes, out _));
        return wrong is null
            ? null
            : $"is a property of {Describe(section)} with the invalid bound '{wrong}': write {SettingText.Expected(property.Type, setting.Bytes)}.";
    }

    private static ConfigurationError? FindCollision(SettingsSection first, SettingsSection second)
    {
        if (string.Equals(first.Name, second.Name, StringComparison.OrdinalIgnoreCase))
        {
            string? shared = KeysOf(second).FirstOrDefault(key => KeysOf(first).Contains(key, StringComparer.OrdinalIgnoreCase));
            return shared is null && first.SettingsType is null == second.SettingsType is null
                ? null
                : Error(
                    shared is null ? second.Name : $"{second.Name}:{shared}",
                    $"is read by two classes, {Describe(first)} and {Describe(second)}: give one of them a section or a key of its own.");
        }

        return IsInside(second, first) ? Inside(second, first) : IsInside(first, second) ? Inside(first, second) : null;
    }

    private static ConfigurationError Inside(SettingsSection inner, SettingsSection outer) =>
        Error(inner.Name, $"is the section of {Describe(inner)} and lies inside the section {outer.Name} of {Describe(outer)}: give one of them another name.");

    private static bool IsInside(SettingsSection inner, SettingsSection outer) => inner.Name.StartsWith($"{outer.Name}:", StringComparison.OrdinalIgnoreCase);

    private static string Describe(SettingsSection section) => section.SettingsType?.FullName ?? "other code of the process";

    private static ConfigurationError Error(string key, string problem) => new(key, Value: null, problem, "The worker could not tell whose settings they are.");
}
