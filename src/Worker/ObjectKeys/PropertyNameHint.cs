using System.Text;
using System.Text.Json;
using Worker.Headers;

namespace Worker.ObjectKeys;

/// <summary>Looks for the likeliest reason that a property is missing: its name in another case. For log lines and descriptions of poison; allocates.</summary>
internal static class PropertyNameHint
{
    /// <summary>A name in the body that differs from a step of the path in case only.</summary>
    /// <param name="body">JSON that was read before; what is not JSON has no hint.</param>
    /// <param name="path">The path that ended early.</param>
    /// <returns>Printable ASCII; null when there is none.</returns>
    public static string? Find(ReadOnlyMemory<byte> body, PropertyPath path)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(body.Span.StartsWith(Encoding.UTF8.Preamble) ? body[Encoding.UTF8.Preamble.Length..] : body);
            return Find(document.RootElement, path);
        }
        catch (JsonException)
        {
            // HeaderOnly takes bodies whose end is broken.
            return null;
        }
        catch (InvalidOperationException)
        {
            // A name with half a surrogate pair, which HeaderOnly takes too.
            return null;
        }
    }

    private static string? Find(JsonElement element, PropertyPath path)
    {
        foreach (PropertyStep step in path.Steps)
        {
            if (step.Name is null)
            {
                if (element.ValueKind != JsonValueKind.Array || element.GetArrayLength() <= step.Index)
                {
                    return null;
                }

                element = element[step.Index];
            }
            else if (element.ValueKind != JsonValueKind.Object)
            {
                return null;
            }
            else if (!element.TryGetProperty(step.Name, out JsonElement next))
            {
                string? near = element.EnumerateObject().Select(property => property.Name).FirstOrDefault(name => string.Equals(name, step.Name, StringComparison.OrdinalIgnoreCase));
                return near is null ? null : PropertyLogText.From(Encoding.UTF8.GetBytes(near));
            }
            else
            {
                element = next;
            }
        }

        return null;
    }
}
