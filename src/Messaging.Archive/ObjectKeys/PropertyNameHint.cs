using System.Text;
using System.Text.Json;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>
/// Looks for the most likely reason why a property is missing: its name in another case. For log lines and descriptions of poison; allocates.
/// </summary>
internal static class PropertyNameHint
{
    /// <summary>A name in the body that differs from a step of the path only in case.</summary>
    /// <param name="body">The body; without a hint when it is not JSON.</param>
    /// <param name="path">The path of the missing property; without a hint when it is not one in the body.</param>
    /// <returns>Safe to print; null when there is none.</returns>
    public static string? Find(ReadOnlyMemory<byte> body, PropertyPath path)
    {
        if (path.IsOfSource)
        {
            return null;
        }

        try
        {
            using JsonDocument document = JsonDocument.Parse(body.Span.StartsWith(Encoding.UTF8.Preamble) ? body[Encoding.UTF8.Preamble.Length..] : body);
            return Find(document.RootElement, path);
        }
        catch (JsonException)
        {
            // HeaderOnly accepts bodies with a malformed end.
            return null;
        }
        catch (InvalidOperationException)
        {
            // A name with half a surrogate pair, which HeaderOnly accepts too.
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
                string? near = element
                    .EnumerateObject()
                    .Select(property => property.Name)
                    .FirstOrDefault(name => string.Equals(name, step.Name, StringComparison.OrdinalIgnoreCase));
                return near is null ? null : UntrustedText.Shorten(near);
            }
            else
            {
                element = next;
            }
        }

        return null;
    }
}
