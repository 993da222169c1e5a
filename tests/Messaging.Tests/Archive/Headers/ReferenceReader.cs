using System.Text;
using System.Text.Json;
using System.Text.Unicode;
using Messaging.Tests.Archive.ObjectKeys;

namespace Messaging.Tests.Archive.Headers;

/// <summary>A second implementation of the rule Full, written for readability, not speed: Utf8JsonReader and strings.</summary>
internal static class ReferenceReader
{
    private static readonly string[] Used = ["Product", "EventDateUtc", "MessageId"];

    /// <summary>The values of a body, or null when it is poison.</summary>
    public static Dictionary<string, string?>? Read(byte[] body)
    {
        if (!Utf8.IsValid(body))
        {
            return null;
        }

        ReadOnlySpan<byte> json = body.AsSpan().StartsWith(Encoding.UTF8.Preamble) ? body.AsSpan(3) : body;
        var values = new Dictionary<string, string?>(StringComparer.Ordinal);
        var open = new Stack<HashSet<string>?>();
        try
        {
            var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = 64 });
            string name = "";
            while (reader.Read())
            {
                bool isTop = open.Count == 1;
                switch (reader.TokenType)
                {
                    case JsonTokenType.StartObject or JsonTokenType.StartArray when open.Count == 0 && reader.TokenType == JsonTokenType.StartArray:
                        return null;
                    case JsonTokenType.StartObject or JsonTokenType.StartArray:
                        if (isTop && Used.Contains(name))
                        {
                            return null;
                        }

                        open.Push(reader.TokenType == JsonTokenType.StartObject ? new HashSet<string>(StringComparer.Ordinal) : null);
                        break;
                    case JsonTokenType.EndObject or JsonTokenType.EndArray:
                        open.Pop();
                        break;
                    case JsonTokenType.PropertyName:
                        name = reader.GetString()!;
                        if (!open.Peek()!.Add(name) && isTop && Used.Contains(name))
                        {
                            return null;
                        }

                        break;
                    case JsonTokenType.String:
                        string text = reader.GetString()!;
                        if (open.Count == 0)
                        {
                            return null;
                        }

                        if (isTop && Used.Contains(name))
                        {
                            values[name] = text;
                        }

                        break;
                    case JsonTokenType.Null when open.Count > 0:
                        break;
                    default:
                        if (open.Count == 0 || (isTop && Used.Contains(name)))
                        {
                            return null;
                        }

                        break;
                }
            }
        }
        catch (JsonException)
        {
            return null;
        }
        catch (InvalidOperationException)
        {
            // GetString throws on half a surrogate pair.
            return null;
        }

        string? date = values.GetValueOrDefault("EventDateUtc");
        return !string.IsNullOrEmpty(date) && ReferenceKey.Date(date) is null ? null : values;
    }
}
