using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Quayside.Messaging.Configuration;

/// <summary>
/// Declares one configuration key: its description and its allowed values. The reader, the validation, the effective configuration
/// and the reference (docs/reference/configuration.md) are all derived from this attribute.
/// </summary>
/// <param name="description">What the setting is, with its unit.</param>
[AttributeUsage(AttributeTargets.Property)]
public sealed class SettingAttribute(string description) : Attribute
{
    /// <summary>What the setting is, for the reference.</summary>
    public string Description { get; } = description;

    /// <summary>The smallest allowed value, written as in configuration (<c>1</c>, <c>100ms</c>, <c>64KiB</c>).</summary>
    public string? Min { get; init; }

    /// <summary>The largest allowed value, written as in configuration.</summary>
    public string? Max { get; init; }

    /// <summary>What goes wrong outside the range, as one sentence.</summary>
    public string? Consequence { get; init; }

    /// <summary>True for a <see cref="long"/> or <see cref="int"/> that counts bytes and may be written as <c>64MiB</c>.</summary>
    public bool Bytes { get; init; }

    /// <summary>True when the value must never be shown.</summary>
    public bool Secret { get; init; }

    /// <summary>True when there is no default and a value must be configured.</summary>
    public bool Required { get; init; }

    /// <summary>True for a setting whose default fits nearly every program: the reference lists it in a table of its own, below the others.</summary>
    public bool Advanced { get; init; }
}

/// <summary>A property that is a setting.</summary>
/// <param name="Property">The property.</param>
/// <param name="Setting">Its attribute.</param>
internal sealed record SettingProperty(PropertyInfo Property, SettingAttribute Setting)
{
    // Every section is read once per route, and the attributes took a third of the time of reading a configuration.
    private static readonly ConcurrentDictionary<Type, SettingProperty[]> Known = new();

    public string Name => Property.Name;

    /// <summary>True for a list of named values, each a key of its own below the property's: <c>Tags:team</c>.</summary>
    public bool IsNamed => Type == typeof(IReadOnlyDictionary<string, string>);

    public Type Type => Property.PropertyType;

    /// <summary>The properties of a class that are settings.</summary>
    public static SettingProperty[] Of([DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] Type type)
    {
        if (!Known.TryGetValue(type, out SettingProperty[]? properties))
        {
            properties = [
                .. type
                    .GetProperties()
                    .Where(property => property.IsDefined(typeof(SettingAttribute)))
                    .Select(property => new SettingProperty(property, property.GetCustomAttribute<SettingAttribute>()!))];
            Known[type] = properties;
        }

        return properties;
    }
}
