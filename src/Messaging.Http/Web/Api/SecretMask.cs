using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Quayside.Messaging.Http.Web.Api;

/// <summary>
/// Writes messages without their secrets: values whose names contain one of some words, in JSON, in JSON within its strings, and in text such as
/// <c>token=…</c>, and what follows <c>Bearer</c>, <c>Basic</c> or precedes the @ of an address. A value that says nothing of what it is stays. Threads: any.
/// </summary>
/// <param name="words">The words; case and all characters but letters and digits are ignored.</param>
internal sealed class SecretMask(IEnumerable<string> words)
{
    public const string Masked = "***";

    private const int MaxDepth = 64;
    private const int MaxNested = 3;

    private static readonly JsonReaderOptions Options = new() { MaxDepth = MaxDepth, CommentHandling = JsonCommentHandling.Skip, AllowTrailingCommas = true, AllowMultipleValues = true };
    private static readonly string[] Schemes = ["Bearer ", "Basic "];
    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private readonly string[] _words = [.. words.Select(Normalize)];

    /// <summary>True when values of this name are masked.</summary>
    public bool IsSecret(string name)
    {
        string normal = Normalize(name);
        return Array.Exists(_words, word => normal.Contains(word, StringComparison.Ordinal));
    }

    /// <summary>Writes one value of a name.</summary>
    public string Mask(string name, string value) => IsSecret(name) ? Masked : MaskValue(value, nested: 0);

    /// <summary>Writes a body as a JSON value: JSON as it is, as far as it can be read, and other text as a string; null for what is no text.</summary>
    /// <param name="json">Where a value is to be written.</param>
    /// <param name="body">The body, or its beginning.</param>
    /// <param name="isWhole">False when the body goes on.</param>
    /// <returns>True when nothing of the body is missing, but for what is masked.</returns>
    public bool Write(Utf8JsonWriter json, ReadOnlySpan<byte> body, bool isWhole)
    {
        int first = body.IndexOfAnyExcept(" \t\r\n"u8);
        if (first >= 0 && body[first] is (byte)'{' or (byte)'[')
        {
            return WriteJson(json, body, isWhole, nested: 0);
        }

        if (!isWhole)
        {
            // A character that the end splits.
            int last = body.Length - 1;
            while (last > 0 && (body[last] & 0xC0) == 0x80)
            {
                last--;
            }

            body = last >= 0 && body[last] >= 0x80 ? body[..last] : body;
        }

        string text;
        try
        {
            text = Strict.GetString(body);
        }
        catch (DecoderFallbackException)
        {
            json.WriteNullValue();
            return false;
        }

        if (text.Contains('\0', StringComparison.Ordinal))
        {
            json.WriteNullValue();
            return false;
        }

        json.WriteStringValue(MaskText(text));
        return isWhole;
    }

    private bool WriteJson(Utf8JsonWriter json, ReadOnlySpan<byte> body, bool isWhole, int nested)
    {
        Utf8JsonReader reader = new(body, isWhole, new JsonReaderState(Options));

        // One bit for each level: whether it is an object, and whether it has named a secret whose value follows, as in {"name":"token","value":"…"}.
        Span<bool> isObject = stackalloc bool[MaxDepth + 1];
        Span<bool> namesSecret = stackalloc bool[MaxDepth + 1];
        int depth = 0;
        string? name = null;
        bool isComplete = false;
        try
        {
            while (!isComplete && reader.Read())
            {
                bool hides = name is not null && (IsSecret(name) || (namesSecret[depth] && IsValue(name)));
                switch (reader.TokenType)
                {
                    case JsonTokenType.PropertyName:
                        name = reader.GetString();
                        continue;
                    case JsonTokenType.EndObject or JsonTokenType.EndArray:
                        End(json, isObject[depth--]);
                        isComplete = depth == 0;
                        continue;
                    case JsonTokenType.StartObject or JsonTokenType.StartArray when !hides:
                        WriteName(json, name);
                        isObject[++depth] = reader.TokenType == JsonTokenType.StartObject;
                        namesSecret[depth] = false;
                        if (isObject[depth])
                        {
                            json.WriteStartObject();
                        }
                        else
                        {
                            json.WriteStartArray();
                        }

                        name = null;
                        continue;
                    default:
                        break;
                }

                if (hides)
                {
                    WriteName(json, name);
                    json.WriteStringValue(Masked);
                    if (!reader.TrySkip())
                    {
                        break;
                    }
                }
                else if (reader.TokenType == JsonTokenType.String)
                {
                    string value = reader.GetString()!;
                    namesSecret[depth] |= name is not null && IsName(name) && IsSecret(value);
                    WriteName(json, name);
                    json.WriteStringValue(MaskValue(value, nested));
                }
                else
                {
                    WriteName(json, name);
                    json.WriteRawValue(reader.ValueSpan, skipInputValidation: true);
                }

                name = null;
            }
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // No JSON from here on, or a string that is no text.
            isComplete = false;
        }

        while (depth > 0)
        {
            End(json, isObject[depth--]);
        }

        return isComplete && isWhole && body[(int)reader.BytesConsumed..].IndexOfAnyExcept(" \t\r\n"u8) < 0;
    }

    private string MaskValue(string value, int nested)
    {
        ReadOnlySpan<char> trimmed = value.AsSpan().TrimStart();
        if (trimmed.IsEmpty || trimmed[0] is not ('{' or '['))
        {
            return MaskText(value);
        }

        ArrayBufferWriter<byte> inner = new();
        using Utf8JsonWriter json = new(inner, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
        bool isWhole = nested < MaxNested && WriteJson(json, Encoding.UTF8.GetBytes(value), isWhole: true, nested + 1);
        json.Flush();

        // What only begins like JSON may hold anything.
        return isWhole ? Encoding.UTF8.GetString(inner.WrittenSpan) : Masked;
    }

    /// <summary>The text up to its first secret.</summary>
    private string MaskText(string text)
    {
        int end = text.Length;
        foreach (string scheme in Schemes)
        {
            int found = text.IndexOf(scheme, StringComparison.OrdinalIgnoreCase);
            end = found < 0 ? end : Math.Min(end, found + scheme.Length);
        }

        for (int address = text.IndexOf("://", StringComparison.Ordinal); address >= 0 && address < end; address = text.IndexOf("://", address + 1, StringComparison.Ordinal))
        {
            ReadOnlySpan<char> authority = text.AsSpan(address + 3);
            int length = authority.IndexOfAny('/', ' ', '?');
            end = (length < 0 ? authority : authority[..length]).Contains('@') ? address + 3 : end;
        }

        for (int i = 0; i < end; i++)
        {
            if (text[i] is '=' or ':' && IsSecret(NameBefore(text, i)))
            {
                end = i + 1;
            }
        }

        return end < text.Length ? $"{text[..end]}{Masked}" : text;
    }

    private static string NameBefore(string text, int at)
    {
        int end = at;
        while (end > 0 && text[end - 1] is ' ' or '"' or '\'')
        {
            end--;
        }

        int start = end;
        while (start > 0 && (char.IsLetterOrDigit(text[start - 1]) || text[start - 1] is '_' or '-' or '.'))
        {
            start--;
        }

        return text[start..end];
    }

    private static bool IsName(string name) => Normalize(name) is "name" or "key";

    private static bool IsValue(string name) => Normalize(name) is "value" or "values";

    private static void WriteName(Utf8JsonWriter json, string? name)
    {
        if (name is not null)
        {
            json.WritePropertyName(name);
        }
    }

    private static void End(Utf8JsonWriter json, bool isObject)
    {
        if (isObject)
        {
            json.WriteEndObject();
        }
        else
        {
            json.WriteEndArray();
        }
    }

    private static string Normalize(string name) => string.Concat(name.Where(char.IsLetterOrDigit)).ToLowerInvariant();
}
