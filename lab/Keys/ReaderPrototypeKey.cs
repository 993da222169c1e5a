using System.Buffers.Text;
using System.Text;
using System.Text.Json;

namespace Lab.Keys;

/// <summary>
/// Frozen: the prototype that set the target. Utf8JsonReader over the bytes, the positions of the five values noted, the key's bytes written
/// from them. Reads the whole body, as the rule Full does, and handles no duplicates, escapes or poison.
/// </summary>
internal static class ReaderPrototypeKey
{
    /// <returns>Bytes written.</returns>
    public static int Write(ReadOnlySpan<byte> body, Span<byte> key)
    {
        ReadOnlySpan<byte> product = default, site = default, eventName = default, id = default;
        DateTime date = default;
        Utf8JsonReader reader = new(body);
        while (reader.Read())
        {
            if (reader.CurrentDepth != 1 || reader.TokenType != JsonTokenType.PropertyName)
            {
                continue;
            }

            if (reader.ValueTextEquals("Product"u8))
            {
                reader.Read();
                product = reader.ValueSpan;
            }
            else if (reader.ValueTextEquals("SiteKey"u8))
            {
                reader.Read();
                site = reader.ValueSpan;
            }
            else if (reader.ValueTextEquals("EventName"u8))
            {
                reader.Read();
                eventName = reader.ValueSpan;
            }
            else if (reader.ValueTextEquals("MessageId"u8))
            {
                reader.Read();
                id = reader.ValueSpan;
            }
            else if (reader.ValueTextEquals("EventDateUtc"u8))
            {
                reader.Read();
                date = reader.GetDateTime();
            }
        }

        int at = Part(product, key, 0);
        at = Part(site, key, at);
        at = Part(eventName, key, at);
        if (date != default)
        {
            at = Number(date.Year, 'D', 4, key, at);
            at = Number(date.Month, 'D', 2, key, at);
            at = Number(date.Day, 'D', 2, key, at);
            at = Number(date.Hour, 'D', 2, key, at);
        }

        Ascii.ToLower(id, key[at..], out int written);
        at += written;
        ".json"u8.CopyTo(key[at..]);
        return at + ".json"u8.Length;
    }

    private static int Number(int value, char format, byte digits, Span<byte> key, int at)
    {
        Utf8Formatter.TryFormat(value, key[at..], out int written, new System.Buffers.StandardFormat(format, digits));
        key[at + written] = (byte)'/';
        return at + written + 1;
    }

    private static int Part(ReadOnlySpan<byte> value, Span<byte> key, int at)
    {
        if (value.IsEmpty)
        {
            value = "unknown"u8;
        }

        for (int i = 0; i < value.Length; i++)
        {
            byte b = value[i];
            if (b == ' ')
            {
                b = (byte)'_';
            }
            else if (char.IsAsciiLetterUpper((char)b))
            {
                b |= 0x20;
            }
            else if (!char.IsAsciiLetterOrDigit((char)b) && b != '_')
            {
                "invalid/"u8.CopyTo(key[at..]);
                return at + "invalid/"u8.Length;
            }

            key[at + i] = b;
        }

        at += value.Length;
        key[at] = (byte)'/';
        return at + 1;
    }
}
