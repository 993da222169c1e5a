using System.Diagnostics.CodeAnalysis;

namespace Messaging.Configuration;

/// <summary>
/// A section of the configuration and the class that reads it. What the class declares is checked at start and has rows in the
/// reference; any other key of the section is an error. Several classes may read one section, each with keys of its own. Immutable.
/// </summary>
public sealed class SettingsSection
{
    private static readonly string[] FeatureSections = ["Sources:", "Handlers:", "Sinks:"];

    private readonly Func<SettingsReader, object>? _read;

    private SettingsSection(
        string name,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] Type? settingsType,
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
    /// True when a route may give the section again below <c>Routes:{name}</c>, for itself alone, as all of <c>Sources</c>,
    /// <c>Handlers</c> and <c>Sinks</c>. Such a section is read by those who use it; any other is read once for the process.
    /// </summary>
    public bool IsPerRoute { get; }

    /// <summary>The first part of the name.</summary>
    internal string Root => Name.Split(':', 2)[0];

    /// <summary>True for the settings of one source, handler or sink.</summary>
    internal bool IsOfFeature => Array.Exists(FeatureSections, prefix => Name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase));

    /// <summary>A section that a class reads.</summary>
    /// <typeparam name="T">A class whose properties carry <see cref="SettingAttribute"/>; its initial values are the defaults.</typeparam>
    /// <param name="name">The section's name.</param>
    /// <param name="perRoute">See <see cref="IsPerRoute"/>.</param>
    /// <param name="check">Checks the settings of the process against others, and reports through the reader; null for no such check. Not called for a section that routes give.</param>
    public static SettingsSection Of<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] T>(
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

    /// <summary>A section that other code of the process reads, such as <c>Logging</c>: it may be given, and nothing in it is checked.</summary>
    public static SettingsSection Unchecked(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return new SettingsSection(name, settingsType: null, perRoute: false, read: null);
    }

    /// <summary>Reads it for the process; null when it is not read here.</summary>
    internal object? ReadForProcess(SettingsReader settings) => IsPerRoute ? null : _read?.Invoke(settings);
}
