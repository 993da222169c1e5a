using System.Text;
using System.Text.Json;

namespace Quayside.Messaging.CloudFront.Events;

/// <summary>Finds the required properties of one event and keeps the first fault.</summary>
internal sealed class EventFields
{
    /// <summary>The first fault.</summary>
    public string? Fault { get; private set; }

    /// <summary>For people: where the fault is.</summary>
    public string Detail { get; private set; } = string.Empty;

    /// <summary>A property's value; null without a parent or such a property.</summary>
    public JsonElement? Find(JsonElement? parent, ReadOnlySpan<byte> name)
    {
        JsonElement? found = null;
        if (parent is { } holder)
        {
            foreach (JsonProperty property in holder.EnumerateObject())
            {
                if (!property.NameEquals(name))
                {
                    continue;
                }

                if (found is not null)
                {
                    Fail(EventFault.DuplicateProperty, Encoding.UTF8.GetString(name));
                }

                found = property.Value;
            }
        }

        return found;
    }

    /// <summary>A property's object; null when it is missing or not an object.</summary>
    public JsonElement? Object(JsonElement? parent, ReadOnlySpan<byte> name) => Find(parent, name, "object", JsonValueKind.Object);

    /// <summary>A property's text; null when it is null, missing or not a string.</summary>
    public string? Text(JsonElement? parent, ReadOnlySpan<byte> name) => Find(parent, name, "string", JsonValueKind.String, JsonValueKind.Null)?.GetString();

    /// <summary>Keeps a fault unless there is one already.</summary>
    public void Fail(string fault, string detail) => (Fault, Detail) = Fault is null ? (fault, detail) : (Fault, Detail);

    private JsonElement? Find(JsonElement? parent, ReadOnlySpan<byte> name, string what, params ReadOnlySpan<JsonValueKind> kinds)
    {
        JsonElement? value = Find(parent, name);
        if (value is null || kinds.Contains(value.Value.ValueKind))
        {
            return value;
        }

        Fail(EventFault.BadRecord, $"The value of {Encoding.UTF8.GetString(name)} must be of the type {what}.");
        return null;
    }
}
