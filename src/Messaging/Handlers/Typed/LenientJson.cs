using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Quayside.Messaging.Handlers.Typed;

/// <summary>Finds what a JSON context lets pass in silence: a missing property that becomes null or 0, and a null that the type does not allow.</summary>
internal static class LenientJson
{
    /// <summary>The warning about a type; null when no property of it, or of a type that it contains, is affected.</summary>
    public static string? Describe(JsonTypeInfo typeInfo)
    {
        JsonSerializerOptions options = typeInfo.Options;
        string[] missing =
        [
            .. options.RespectNullableAnnotations ? [] : (string[])[nameof(options.RespectNullableAnnotations)],
            .. options.RespectRequiredConstructorParameters ? [] : (string[])[nameof(options.RespectRequiredConstructorParameters)],
        ];
        if (missing.Length == 0 || FindProperty(typeInfo, []) is not { } property)
        {
            return null;
        }

        string context = typeInfo.OriginatingResolver is JsonSerializerContext generated ? generated.GetType().Name : "its JsonSerializerOptions";
        return $"a message whose {property} is missing or null is handled with null or 0 in its place, without an error: "
            + $"{context} does not set {string.Join(" and ", missing)}. "
            + $"Write [JsonSourceGenerationOptions({string.Join(", ", missing.Select(option => $"{option} = true"))}, ...)] on it; such messages are then "
            + $"dead-lettered as {JsonBodyFault.WrongShape}.";
    }

    private static string? FindProperty(JsonTypeInfo typeInfo, HashSet<Type> visited)
    {
        if (!visited.Add(typeInfo.Type))
        {
            return null;
        }

        foreach (JsonPropertyInfo property in typeInfo.Properties)
        {
            if (IsLenient(property, typeInfo.Options))
            {
                return $"{typeInfo.Type.Name}.{property.Name}";
            }
        }

        IEnumerable<Type> contained =
            [.. typeInfo.Properties.Select(property => property.PropertyType), .. typeInfo.ElementType is { } element ? [element] : (Type[])[]];
        return contained
            .Select(type => typeInfo.Options.TryGetTypeInfo(type, out JsonTypeInfo? inner) ? FindProperty(inner, visited) : null)
            .FirstOrDefault(found => found is not null);
    }

    private static bool IsLenient(JsonPropertyInfo property, JsonSerializerOptions options)
    {
        bool allowsNull = property.PropertyType.IsValueType
            ? Nullable.GetUnderlyingType(property.PropertyType) is not null
            : property.IsSetNullable && property.AssociatedParameter is not { IsNullable: false };
        if (allowsNull || (property.Set is null && property.AssociatedParameter is null))
        {
            return false;
        }

        return (!options.RespectNullableAnnotations && !property.PropertyType.IsValueType)
            || (!options.RespectRequiredConstructorParameters && property is { IsRequired: false, AssociatedParameter.HasDefaultValue: false });
    }
}
