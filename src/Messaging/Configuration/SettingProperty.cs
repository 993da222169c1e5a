using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Messaging.Configuration;

/// <summary>A property that is a setting.</summary>
/// <param name="Property">The property.</param>
/// <param name="Setting">Its attribute.</param>
internal sealed record SettingProperty(PropertyInfo Property, SettingAttribute Setting)
{
    // Every section is read once per route, and the attributes took a third of the time of reading a configuration.
    private static readonly ConcurrentDictionary<Type, SettingProperty[]> Known = new();

    public string Name => Property.Name;

    public Type Type => Property.PropertyType;

    /// <summary>The properties of a class that are settings.</summary>
    public static SettingProperty[] Of([DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] Type type)
    {
        if (!Known.TryGetValue(type, out SettingProperty[]? properties))
        {
            properties = [.. type.GetProperties().Where(property => property.IsDefined(typeof(SettingAttribute))).Select(property => new SettingProperty(property, property.GetCustomAttribute<SettingAttribute>()!))];
            Known[type] = properties;
        }

        return properties;
    }
}
