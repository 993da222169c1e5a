using System.Diagnostics.CodeAnalysis;

namespace Quayside.Messaging.Configuration;

/// <summary>
/// A section of the configuration and the class that reads it. The keys that the class declares are checked at start and listed in the
/// reference; any other key of the section is an error. Several classes may read one section, each with keys of its own. Immutable.
/// </summary>
public sealed class SettingsSection
{
    private static readonly string[] FeatureSections = ["Sources:", "Envelopes:", "Handlers:", "Sinks:"];

    private readonly Func<SettingsReader, object>? _read;

    private SettingsSection(
        string name,
        [DynamicallyAccessedMembers(
            DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] Type? settingsType,
        bool perRoute,
        Func<SettingsReader, object>? read)
    {
        Name = name;
        SettingsType = settingsType;
        IsPerRoute = perRoute || IsOfFeature;
        _read = read;
    }

    /// <summary>The section's name, such as <c>Hosting</c> or <c>Sources:Sqs</c>.</summary>
    public string Name { get; }

    /// <summary>The class whose properties with <see cref="SettingAttribute"/> are the section's keys; null for a section that is not checked.</summary>
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)]
    public Type? SettingsType { get; }

    /// <summary>
    /// True when a route may override the section below <c>Routes:{name}</c>, as it may every section of <c>Sources</c>, <c>Envelopes</c>,
    /// <c>Handlers</c> and <c>Sinks</c>. The parts that use such a section read it; any other section is read once for the process.
    /// </summary>
    public bool IsPerRoute { get; }

    /// <summary>The first part of the name.</summary>
    internal string Root => Name.Split(':', 2)[0];

    /// <summary>True for the settings of one source, envelope, handler or sink.</summary>
    internal bool IsOfFeature => Array.Exists(FeatureSections, prefix => Name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase));

    /// <summary>A section that a class reads.</summary>
    /// <typeparam name="T">A class whose properties carry <see cref="SettingAttribute"/>; its initial values are the defaults.</typeparam>
    /// <param name="name">The section's name.</param>
    /// <param name="perRoute">See <see cref="IsPerRoute"/>.</param>
    /// <param name="check">Checks the settings of the process against other settings and reports through the reader; null for none. Not called for a section
    /// that is read per route.</param>
    public static SettingsSection Of<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] T>(
        string name, bool perRoute = false, Action<T, SettingsReader>? check = null)
        where T : class, new()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return new SettingsSection(name, typeof(T), perRoute, settings =>
        {
            T read = settings.Read<T>(name);
            check?.Invoke(read, settings);
            return read;
        });
    }

    /// <summary>A section that other code of the process reads, such as <c>Logging</c>: it may be present, and nothing in it is checked.</summary>
    public static SettingsSection Unchecked(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return new SettingsSection(name, settingsType: null, perRoute: false, read: null);
    }

    /// <summary>Reads the section for the process; null when it is read per route, or not checked.</summary>
    internal object? ReadForProcess(SettingsReader settings) => IsPerRoute ? null : _read?.Invoke(settings);
}
