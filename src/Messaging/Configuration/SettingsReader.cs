using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Microsoft.Extensions.Configuration;

namespace Quayside.Messaging.Configuration;

/// <summary>
/// Reads settings objects from the configuration, collecting every problem instead of stopping at the first. A section may be
/// set globally and again below a route; the route's values win. Used at start only.
/// </summary>
public sealed partial class SettingsReader
{
    private const string RoutesPrefix = "Routes:";

    // A shorter one would be found within ordinary words.
    private const int MinSecret = 8;

    private readonly List<ConfigurationError> _errors = [];
    private readonly List<ConfigurationError> _warnings = [];
    private readonly Dictionary<string, EffectiveSetting> _effective = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _reported = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _unknown = new(StringComparer.OrdinalIgnoreCase);

    // The values of secret settings, which the problem of another one may quote.
    private readonly HashSet<string> _secrets = new(StringComparer.Ordinal);

    // The sections that were read, in upper case, with the class that read them.
    private readonly HashSet<(string Layer, Type Reader)> _layers = [];

    /// <summary>Makes a reader that knows only the sections it is asked for, for commands and tests. Features get their reader from the worker.</summary>
    /// <param name="configuration">The configuration to read.</param>
    public SettingsReader(IConfiguration configuration)
        : this(configuration, SettingsSections.None)
    {
    }

    /// <param name="configuration">The configuration to read.</param>
    /// <param name="sections">The sections that the worker's parts read.</param>
    internal SettingsReader(IConfiguration configuration, SettingsSections sections)
    {
        Configuration = configuration;
        Sections = sections;
    }

    /// <summary>Every problem found so far.</summary>
    public IReadOnlyList<ConfigurationError> Errors => [.. _errors.Select(WithoutSecrets)];

    /// <summary>Every warning so far: values that are allowed but can lose or expose data.</summary>
    public IReadOnlyList<ConfigurationError> Warnings => [.. _warnings.Select(WithoutSecrets)];

    /// <summary>Every key read so far, in the order read.</summary>
    internal IReadOnlyCollection<EffectiveSetting> Effective => _effective.Values;

    /// <summary>The configuration that is read.</summary>
    public IConfiguration Configuration { get; }

    /// <summary>The sections that the worker's parts read.</summary>
    internal SettingsSections Sections { get; }

    /// <summary>Adds a problem that no single settings object can detect.</summary>
    public void Fail(string key, string? value, string problem, string? consequence = null) => Fail(new ConfigurationError(key, value, problem, consequence));

    /// <summary>Adds a problem once.</summary>
    public void Fail(ConfigurationError error)
    {
        if (_reported.Add($"{error.Key}\0{error.Problem}"))
        {
            _errors.Add(error);
        }
    }

    /// <summary>Adds a warning that no single settings object can detect: the value is allowed but can lose or expose data.</summary>
    public void Warn(string key, string? value, string problem, string? consequence = null)
    {
        if (_reported.Add($"{key}\0{problem}"))
        {
            _warnings.Add(new ConfigurationError(key, value, problem, consequence));
        }
    }

    /// <summary>Removes a key from the effective settings, because what it configures does not exist here.</summary>
    internal void LeaveOut(string key) => _effective.Remove(key);

    /// <summary>The endpoints claimed so far.</summary>
    internal EndpointClaims Endpoints { get; } = new();

    /// <summary>Reads one section that may hold the sections of other settings beside its own keys.</summary>
    internal T Read<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] T>(
            string section, IReadOnlyCollection<string> allowedSections)
        where T : class, new() => ReadLayers<T>([section], allowedSections);

    /// <summary>Reads one section, with the overrides below <c>Routes:{route}</c> when a route is given. Problems are collected, not thrown.</summary>
    /// <typeparam name="T">A class whose properties carry <see cref="SettingAttribute"/>; its initial values are the defaults.</typeparam>
    /// <param name="section">The section, such as <c>Sources:RabbitMq</c>.</param>
    /// <param name="route">The route whose overrides count; null for none.</param>
    /// <returns>The settings; a property that could not be read has its default.</returns>
    public T Read<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)]
    T>(string section, string? route = null)
        where T : class, new() => ReadLayers<T>(route is null ? [section] : [$"{RoutesPrefix}{route}:{section}", section], []);

    /// <summary>
    /// Checks the configured values and rules of a section that nothing has read. A mistake there would otherwise show only when the
    /// section is used. Missing values are not reported.
    /// </summary>
    /// <param name="section">The section.</param>
    /// <param name="type">The class that reads it.</param>
    /// <param name="route">The route whose overrides are checked; null for the section itself.</param>
    /// <returns>True when it is configured and nothing has read it.</returns>
    internal bool CheckUnused(
        string section,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] Type type,
        string? route = null)
    {
        string layer = route is null ? section : $"{RoutesPrefix}{route}:{section}";
        if (_layers.Contains((layer.ToUpperInvariant(), type)))
        {
            return false;
        }

        FindValue(layer);
        if (!Configuration.GetSection(layer).GetChildren().Any())
        {
            return false;
        }

        string[] layers = route is null ? [section] : [layer, section];

        SettingProperty[] properties = SettingProperty.Of(type);
        object settings = Activator.CreateInstance(type)!;
        List<string> given = [.. properties.Where(property => Find(layers, property) is not null).Select(property => property.Name)];
        string[] unread = [
            .. properties
                .Where(property => given.Contains(property.Name) ? !TryReadProperty(settings, property, layers) : property.Setting.Required)
                .Select(property => property.Name)];
        FindUnknownKeys(layer, section, type, properties, []);
        if (settings is ISelfValidating validating)
        {
            List<ConfigurationError> found = [];
            validating.Validate(new SettingsCheck(section, property => Shown(properties, property, layers), unread, found, warnings: [], onlyConfigured: true));
            Report(found);
        }

        return true;
    }

    /// <summary>Reports a key that nothing reads, with the nearest name that exists.</summary>
    internal void FailUnknown(string key, IEnumerable<string> known)
    {
        // A section may be read by several classes.
        if (!_unknown.Add(key))
        {
            return;
        }

        List<string> names = [.. known];
        string hint = names.Count == 0 ? "Nothing can be set here." : Hint(key[(key.LastIndexOf(':') + 1)..], names);

        // Without its value: a password under a mistyped name is still a password.
        Fail(key.Length == 0 ? "\"\"" : key, value: null, $"is not a known key. {hint}", "It would have no effect.");
    }

    /// <summary>Suggests what an unknown name may have meant: the nearest known name, or the list of all.</summary>
    internal static string Hint(string name, IReadOnlyCollection<string> known) =>
        NearestName.Find(name, known) is { } nearest ? $"Did you mean {nearest}?" : $"Known here: {string.Join(", ", known)}.";

    /// <summary>Reports a value where a section belongs, without the value itself, which may be a password.</summary>
    internal void FailValue(string section) => Fail(section, value: null, "must be a section, but a value was given.", "It would have no effect.");

    /// <summary>
    /// Reports a value where a nested section belongs. The planner checks the first level, since the environment also holds other programs' variables.
    /// </summary>
    internal void FindValue(string section)
    {
        if (section.Contains(':', StringComparison.Ordinal) && !string.IsNullOrWhiteSpace(Configuration[section]))
        {
            FailValue(section);
        }
    }

    private T ReadLayers<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] T>(
            string[] layers, IReadOnlyCollection<string> allowedSections)
        where T : class, new()
    {
        T settings = new();
        string section = layers[^1];
        _layers.UnionWith(layers.Select(layer => (layer.ToUpperInvariant(), typeof(T))));
        SettingProperty[] properties = SettingProperty.Of(typeof(T));
        string[] unread = [.. properties.Where(property => !TryReadProperty(settings, property, layers)).Select(property => property.Name)];

        foreach (string layer in layers)
        {
            // Not for a route: a value in place of its section removes the route.
            if (allowedSections.Count == 0)
            {
                FindValue(layer);
            }

            FindUnknownKeys(layer, section, typeof(T), properties, allowedSections);
        }

        if (settings is ISelfValidating validating)
        {
            List<ConfigurationError> found = [];
            List<ConfigurationError> warnings = [];
            validating.Validate(new SettingsCheck(section, property => Shown(properties, property, layers), unread, found, warnings));
            Report(found);
            foreach (ConfigurationError warning in warnings)
            {
                Warn(warning.Key, warning.Value, warning.Problem, warning.Consequence);
            }
        }

        return settings;
    }

    private void Report(IEnumerable<ConfigurationError> found)
    {
        foreach (ConfigurationError error in found)
        {
            Fail(error);
        }
    }

    /// <returns>False when a problem was reported and the property keeps its default.</returns>
    private bool TryReadProperty(object settings, SettingProperty property, string[] layers)
    {
        if (property.IsNamed)
        {
            return ReadNamed(settings, property, layers);
        }

        SettingAttribute setting = property.Setting;
        (string Key, string Value)[] all = [.. FindAll(layers, property)];
        (string Key, string Value)? found = all.Length > 0 ? all[0] : null;
        string key = found?.Key ?? $"{layers[^1]}:{property.Name}";
        foreach ((string Key, string Value) overridden in all.Skip(1))
        {
            // An overridden value takes effect once the override is removed, or a route without one is added.
            _ = TryParse(settings, property, overridden, out _);
        }

        string usual = Text();
        if (found is { } given)
        {
            if (!TryParse(settings, property, given, out object? value))
            {
                return false;
            }

            property.Property.SetValue(settings, value);
        }
        else if (setting.Required)
        {
            string[] routes = layers is [var only]
                ? [.. Configuration.GetSection("Routes").GetChildren().Where(route => route[$"{only}:{property.Name}"] is not null).Select(route => route.Key)]
                : [];
            string where = layers is [var own, var shared] ? $" for route {own[RoutesPrefix.Length..^(shared.Length + 1)]} (or {own}:{property.Name})" : "";
            Fail(key, value: null,
                $"must be set{where}: {setting.Description}."
                    + $"{(routes.Length == 0 ? "" : $" It is set for {string.Join(", ", routes)}: use one of these with --route.")}", setting.Consequence);
            return false;
        }

        string text = Text();
        _effective[key] = new EffectiveSetting(key, text.Length == 0 ? text : Mask(setting, text), text == usual, setting.Description);
        return true;

        string Text() => property.Property.GetValue(settings) is { } current ? SettingText.Format(current, setting.Bytes) : string.Empty;
    }

    private bool TryParse(object settings, SettingProperty property, (string Key, string Value) given, out object? value)
    {
        SettingAttribute setting = property.Setting;
        string shown = Mask(setting, given.Value);
        if (setting.Secret && given.Value.Trim().Length >= MinSecret)
        {
            _secrets.Add(given.Value.Trim());
        }

        if (property.Type == typeof(string[]) && ItemsOf(given.Key) is { } items)
        {
            // As they are: an item may hold a comma.
            value = items;
            return true;
        }

        if (!SettingText.TryParse(given.Value, property.Type, setting.Bytes, out value))
        {
            Fail(given.Key, shown,
                $"must be {SettingText.Expected(property.Type, setting.Bytes, property.Property.GetValue(settings) as Uri)}{RangeText(setting)}.",
                setting.Consequence);
            return false;
        }

        if (!InRange(value, property.Type, setting))
        {
            Fail(given.Key, shown, $"must be{RangeText(setting)}.", setting.Consequence);
            return false;
        }

        return true;
    }

    private (string Key, string Value)? Find(string[] layers, SettingProperty property) =>
        FindAll(layers, property).Select(found => ((string Key, string Value)?)found).FirstOrDefault();

    private IEnumerable<(string Key, string Value)> FindAll(string[] layers, SettingProperty property)
    {
        foreach (string layer in layers)
        {
            string key = $"{layer}:{property.Name}";

            if (property.IsNamed)
            {
                if (NamedIn(key) is { Length: > 0 } named)
                {
                    yield return (key, SettingText.Format(named.ToDictionary(StringComparer.OrdinalIgnoreCase), bytes: false));
                }

                continue;
            }

            // An empty value counts as not set, so that an environment variable can switch a key off.
            if (FindText(key) is { } value)
            {
                yield return (key, value);
            }
            else if (property.Type == typeof(string[]) && ItemsOf(key) is { Length: > 0 } items)
            {
                yield return (key, string.Join(", ", items));
            }
        }
    }

    /// <summary>A key's value, unless a later source of the configuration has a list there.</summary>
    private string? FindText(string key)
    {
        if (string.IsNullOrWhiteSpace(Configuration[key]))
        {
            return null;
        }

        foreach (IConfigurationProvider provider in ConfigurationOrigin.ProvidersOf(Configuration).Reverse())
        {
            if (provider.TryGet(key, out string? value) && !string.IsNullOrWhiteSpace(value))
            {
                break;
            }

            if (provider.GetChildKeys([], key).Any())
            {
                return null;
            }
        }

        return Configuration[key];
    }

    /// <summary>The items of a list that is written as an array, in the order of their numbers; null without one.</summary>
    private string[]? ItemsOf(string key) => FindText(key) is null
        ? [.. Configuration
            .GetSection(key)
            .GetChildren()
            .Where(IsItem)
            .OrderBy(child => int.Parse(child.Key, CultureInfo.InvariantCulture))
            .Select(child => child.Value!.Trim())]
        : null;

    private static bool IsItem(IConfigurationSection child) =>
        int.TryParse(child.Key, NumberStyles.None, CultureInfo.InvariantCulture, out _) && !string.IsNullOrWhiteSpace(child.Value);

    private void FindUnknownKeys(string layer, string section, Type reader, SettingProperty[] properties, IReadOnlyCollection<string> allowedSections)
    {
        string[] others = [.. Sections.OtherKeys(section, reader, perRoute: layer != section)];
        foreach (IConfigurationSection child in Configuration.GetSection(layer).GetChildren())
        {
            SettingProperty? match = Array.Find(properties, p => string.Equals(p.Name, child.Key, StringComparison.OrdinalIgnoreCase));
            if (match is null
                && !allowedSections.Contains(child.Key, StringComparer.OrdinalIgnoreCase)
                && !others.Contains(child.Key, StringComparer.OrdinalIgnoreCase))
            {
                FailUnknown(child.Path, [.. properties.Select(p => p.Name), .. others]);
            }
            else if (match is { IsNamed: true })
            {
                FindUnnamed(child);
            }
            else if (match is not null && child.GetChildren().FirstOrDefault(below => match.Type != typeof(string[]) || !IsItem(below)) is { } below)
            {
                Fail(child.Path, value: null, match.Type == typeof(string[])
                    ? $"must be a list of texts, such as [\"a\", \"b\"], or one text separated by commas, but {below.Path} is "
                        + $"{(int.TryParse(below.Key, out _) ? "empty or a section" : "not an item of a list")}."
                    : $"must be a single value, but {below.Path} was given.");
            }
        }
    }

    private (string Key, string Value)? Shown(SettingProperty[] properties, string name, string[] layers) =>
        Array.Find(properties, property => property.Name == name) is { } known && Find(layers, known) is { } found
            ? (found.Key, Mask(known.Setting, found.Value))
            : null;

    private ConfigurationError WithoutSecrets(ConfigurationError error) =>
        error with { Value = WithoutSecrets(error.Value), Problem = WithoutSecrets(error.Problem)!, Consequence = WithoutSecrets(error.Consequence) };

    // The longest first: one may be a part of another.
    private string? WithoutSecrets(string? text) => _secrets
        .OrderByDescending(static secret => secret.Length)
        .Aggregate(text, static (shown, secret) => shown?.Replace(secret, "***", StringComparison.Ordinal));

    private static string Mask(SettingAttribute setting, string value) => setting.Secret ? "***" : SettingText.Mask(value);

    private static bool InRange(object? value, Type type, SettingAttribute setting)
    {
        if (value is not IComparable comparable)
        {
            return true;
        }

        return (setting.Min is null || (SettingText.TryParse(setting.Min, type, setting.Bytes, out object? min) && comparable.CompareTo(min) >= 0))
            && (setting.Max is null || (SettingText.TryParse(setting.Max, type, setting.Bytes, out object? max) && comparable.CompareTo(max) <= 0));
    }

    private static string RangeText(SettingAttribute setting) => (setting.Min, setting.Max) switch
    {
        (null, null) => string.Empty,
        ({ } min, null) => $" {min} or more",
        (null, { } max) => $" at most {max}",
        ({ } min, { } max) => $" from {min} to {max}",
    };
}
