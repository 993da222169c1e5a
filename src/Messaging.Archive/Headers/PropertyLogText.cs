using System.Buffers;
using System.Text;
using Quayside.Messaging.Json;

namespace Quayside.Messaging.Archive.Headers;

/// <summary>Makes a property name from a message safe to log: it is untrusted, of any length, and may not be UTF-8.</summary>
internal static class PropertyLogText
{
    /// <summary>Maximum characters, including the <c>...</c> of a truncated name.</summary>
    public const int MaxLength = 64;

    private const string Cut = "...";

    /// <summary>The name at a location in a body, unescaped if possible.</summary>
    /// <param name="name">As the scanner reported it.</param>
    /// <param name="json">The scanned text.</param>
    public static string From(JsonText name, ReadOnlySpan<byte> json)
    {
        ReadOnlySpan<byte> raw = name.In(json);
        if (!name.HasEscapes || name.HasLoneSurrogate)
        {
            return From(raw);
        }

        byte[] unescaped = new byte[raw.Length];
        return From(unescaped.AsSpan(0, JsonEscapes.Unescape(raw, unescaped)));
    }

    /// <summary>
    /// Keeps printable ASCII, writes every other character as <c>\u{hex}</c> and every byte outside UTF-8 as <c>\x{hex}</c>. It truncates
    /// long text and appends <c>...</c> to it.
    /// </summary>
    /// <param name="name">UTF-8 or not; may be empty.</param>
    public static string From(ReadOnlySpan<byte> name)
    {
        var text = new StringBuilder(MaxLength);
        int cut = 0; // where the text can end so that "..." still fits
        while (!name.IsEmpty)
        {
            OperationStatus status = Rune.DecodeFromUtf8(name, out Rune rune, out int length);
            if (status != OperationStatus.Done)
            {
                length = 1;
                text.Append($"\\x{name[0]:x2}");
            }
            else if (rune.Value is >= 0x20 and <= 0x7E)
            {
                text.Append((char)rune.Value);
            }
            else
            {
                text.Append($"\\u{{{rune.Value:x}}}");
            }

            name = name[length..];
            if (text.Length > MaxLength)
            {
                text.Length = cut;
                return text.Append(Cut).ToString();
            }

            cut = text.Length <= MaxLength - Cut.Length ? text.Length : cut;
        }

        return text.ToString();
    }
}
