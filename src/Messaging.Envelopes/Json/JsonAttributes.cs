using System.Text.Json;

namespace Quayside.Messaging.Envelopes.Json;

/// <summary>Reads the attributes of a message out of the envelope around it. For parts that ask; allocates.</summary>
internal static class JsonAttributes
{
    /// <summary>The members of an object that are text, numbers or booleans; of a name that occurs several times, the last.</summary>
    /// <param name="json">An object that was read before.</param>
    /// <param name="isWanted">Whether the attributes of a name are.</param>
    /// <param name="prefix">Put before each name.</param>
    public static Dictionary<string, string> Read(ReadOnlySpan<byte> json, Func<string, bool> isWanted, string prefix = "")
    {
        Dictionary<string, string> found = new(StringComparer.Ordinal);
        Utf8JsonReader reader = JsonMembers.ReaderOf(json, out _);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            string? name = TextOf(ref reader);
            reader.Read();
            if (name is not null && isWanted(name) && TextOf(ref reader) is { } value)
            {
                found[prefix + name] = value;
            }

            reader.Skip();
        }

        return found;
    }

    /// <summary>Adds the members of an object of objects, each of which has its value in a member: <c>{"tenant":{"Type":"String","Value":"a"}}</c>.</summary>
    public static void ReadNested(ReadOnlySpan<byte> json, Dictionary<string, string> found)
    {
        Utf8JsonReader reader = JsonMembers.ReaderOf(json, out _);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            string? name = TextOf(ref reader);
            reader.Read();
            int start = (int)reader.TokenStartIndex;
            bool isObject = reader.TokenType == JsonTokenType.StartObject;
            reader.Skip();
            if (name is not null && isObject)
            {
                Dictionary<string, string> one = Read(json[start..(int)reader.BytesConsumed], static member => member is "Type" or "Value");
                if (one.TryGetValue("Value", out string? value) && one.GetValueOrDefault("Type") != "Binary")
                {
                    found[name] = value;
                }
            }
        }
    }

    // Null for objects, arrays, null, and text with half of a surrogate pair.
    private static string? TextOf(ref Utf8JsonReader reader)
    {
        try
        {
            return reader.TokenType switch
            {
                JsonTokenType.String or JsonTokenType.PropertyName => reader.GetString(),
                JsonTokenType.Number or JsonTokenType.True or JsonTokenType.False => System.Text.Encoding.UTF8.GetString(reader.ValueSpan),
                _ => null,
            };
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }
}
