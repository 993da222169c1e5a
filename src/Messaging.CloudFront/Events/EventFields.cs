using System.Text;
using System.Text.Json;

namespace Messaging.CloudFront.Events;

/// <summary>Finds the properties of an event that are needed, and keeps the first fault in their form. One event.</summary>
internal sealed class EventFields
{
    /// <summary>What is wrong; the first fault.</summary>
    public EventFault Fault { get; private set; }

    /// <summary>For people: where.</summary>
    public string Detail { get; private set; } = string.Empty;

    /// <summary>A property's value; null where there is no parent or no such property.</summary>
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

    /// <summary>A property's object; null where it is missing or wrong.</summary>
    public JsonElement? Object(JsonElement? parent, ReadOnlySpan<byte> name) => Find(parent, name, "object", JsonValueKind.Object);

    /// <summary>A property's text; null where it is null, missing or wrong.</summary>
    public string? Text(JsonElement? parent, ReadOnlySpan<byte> name) => Find(parent, name, "string", JsonValueKind.String, JsonValueKind.Null)?.GetString();

    /// <summary>Keeps a fault unless there is one already.</summary>
    public void Fail(EventFault fault, string detail) => (Fault, Detail) = Fault == EventFault.None ? (fault, detail) : (Fault, Detail);

    private JsonElement? Find(JsonElement? parent, ReadOnlySpan<byte> name, string what, params ReadOnlySpan<JsonValueKind> kinds)
    {
        JsonElement? value = Find(parent, name);
        if (value is null || kinds.Contains(value.Value.ValueKind))
        {
            return value;
        }

        Fail(EventFault.BadRecord, $"{Encoding.UTF8.GetString(name)} is no {what}.");
        return null;
    }
}
