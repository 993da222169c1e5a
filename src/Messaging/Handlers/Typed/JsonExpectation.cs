using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.Json.Serialization.Metadata;

namespace Quayside.Messaging.Handlers.Typed;

/// <summary>What the JSON should have at a path, such as <c>a string</c>: the serializer's own text names only a .NET type, often the parent's.</summary>
internal static class JsonExpectation
{
    /// <param name="typeInfo">The type of the whole body.</param>
    /// <param name="path">The serializer's path, such as <c>$.lines[1].price</c>.</param>
    /// <returns>Null where it is unknown: a converter of the application's own decides, or the path is none of the type's.</returns>
    public static string? Of(JsonTypeInfo typeInfo, string path) => TryFind(typeInfo, path, out JsonTypeInfo? found) ? Describe(found) : null;

    private static bool TryFind(JsonTypeInfo typeInfo, string path, [NotNullWhen(true)] out JsonTypeInfo? found)
    {
        found = typeInfo;
        for (int at = 1; at < path.Length && found is not null;)
        {
            int end = EndOf(path, at);
            found = Next(found, path[at..end]);
            at = end;
        }

        return found is not null;
    }

    private static int EndOf(string path, int at)
    {
        if (path[at..].StartsWith("['", StringComparison.Ordinal))
        {
            int close = path.IndexOf("']", at, StringComparison.Ordinal);
            return close < 0 ? path.Length : close + 2;
        }

        int end = path.AsSpan(at + 1).IndexOfAny('.', '[');
        return end < 0 ? path.Length : at + 1 + end;
    }

    private static JsonTypeInfo? Next(JsonTypeInfo typeInfo, string segment)
    {
        Type? type = typeInfo.ElementType;
        if (typeInfo.Kind == JsonTypeInfoKind.Object)
        {
            string name = segment[0] == '.' ? segment[1..] : segment[2..^2];
            JsonPropertyInfo? property = typeInfo.Properties.FirstOrDefault(property => string.Equals(property.Name, name, StringComparison.OrdinalIgnoreCase));
            type = property is { CustomConverter: null } ? property.PropertyType : null;
        }

        type = type is null ? null : Nullable.GetUnderlyingType(type) ?? type;
        return type is not null && typeInfo.Options.TryGetTypeInfo(type, out JsonTypeInfo? next) ? next : null;
    }

    private static string? Describe(JsonTypeInfo typeInfo)
    {
        if (typeInfo.Converter.GetType().Assembly != typeof(JsonTypeInfo).Assembly)
        {
            return null;
        }

        Type type = typeInfo.Type;
        return typeInfo.Kind switch
        {
            JsonTypeInfoKind.Object or JsonTypeInfoKind.Dictionary => "an object",
            JsonTypeInfoKind.Enumerable => "an array",
            _ when type.IsEnum => $"a value of {type.Name}",
            _ => Describe(type),
        };
    }

    private static string? Describe(Type type) => Type.GetTypeCode(type) switch
    {
        TypeCode.String or TypeCode.Char => "a string",
        TypeCode.Boolean => "true or false",
        TypeCode.DateTime => "a date and time as a string",
        TypeCode.Single or TypeCode.Double or TypeCode.Decimal => string.Create(CultureInfo.InvariantCulture, $"a number ({type.Name})"),
        >= TypeCode.SByte and <= TypeCode.UInt64 => string.Create(CultureInfo.InvariantCulture, $"a whole number ({type.Name})"),
        _ when type == typeof(DateTimeOffset) => "a date and time as a string",
        _ when type == typeof(Guid) => "a GUID as a string",
        _ => null,
    };
}
