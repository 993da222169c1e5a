using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Quayside.Messaging.Json;

/// <content>Strings and property names.</content>
internal ref partial struct JsonScanner
{
    /// <summary>Reads an object's property name and its colon, up to the value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ReadName(int at, out JsonText name)
    {
        at = ReadString(at, out name);
        if (at < 0)
        {
            return Failed;
        }

        ReadOnlySpan<byte> json = _json;
        at = SkipBlanks(json, at);
        return Peek(json, at) == ':' ? SkipBlanks(json, at + 1) : Malformed(at);
    }

    /// <summary>Reads a string, starting at its opening quote.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ReadString(int at, out JsonText text)
    {
        ReadOnlySpan<byte> json = _json;
        if (Peek(json, at) != '"')
        {
            text = default;
            return Malformed(at);
        }

        int start = at + 1;
        int end = FindSpecial(json, start);
        if (Peek(json, end) == '"')
        {
            text = new JsonText(start, end - start, HasEscapes: false, HasLoneSurrogate: false);
            return end + 1;
        }

        int after = ReadEscapedString(start, end, out JsonText escaped);
        text = escaped; // a separate local, so that the common text stays in registers
        return after;
    }

    // Finds the next quote, backslash or control character; no other byte matters inside a string.
    private static int FindSpecial(ReadOnlySpan<byte> json, int at)
    {
        while (json.Length - at >= Vector128<byte>.Count)
        {
            uint special = SpecialsOf(Vector128.Create(json[at..]));
            if (special != 0)
            {
                return at + BitOperations.TrailingZeroCount(special);
            }

            at += Vector128<byte>.Count;
        }

        while ((uint)at < (uint)json.Length && json[at] is not ((byte)'"' or (byte)'\\' or < (byte)' '))
        {
            at++;
        }

        return at;
    }

    // A bit for each quote, backslash and control character.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint SpecialsOf(Vector128<byte> bytes)
    {
        // The XOR swaps quote and blank and moves no other byte across that limit, so that one comparison finds quotes and
        // control characters. Unsigned "less than" would use AVX-512 mask registers, and the string's length would wait for them.
        Vector128<byte> flipped = bytes ^ Vector128.Create((byte)('"' ^ ' '));
        return (Vector128.Equals(Vector128.Min(flipped, Vector128.Create((byte)' ')), flipped)
            | Vector128.Equals(bytes, Vector128.Create((byte)'\\'))).ExtractMostSignificantBits();
    }

    // A document within a string has an escape every few bytes, and nearly all are of a quote or a backslash: these are taken from one vector.
    private static int SkipPlainEscapes(ReadOnlySpan<byte> json, int at)
    {
        while (json.Length - at > Vector128<byte>.Count)
        {
            uint special = SpecialsOf(Vector128.Create(json[at..]));
            int next = at + Vector128<byte>.Count;
            while (special != 0)
            {
                int found = at + BitOperations.TrailingZeroCount(special);
                if (json[found] != '\\' || json[found + 1] is not ((byte)'"' or (byte)'\\'))
                {
                    return found;
                }

                special &= special - 1;
                if (found + 1 == next)
                {
                    next++;
                }
                else
                {
                    special &= special - 1;
                }
            }

            at = next;
        }

        return FindSpecial(json, at);
    }

    private int ReadEscapedString(int start, int at, out JsonText text)
    {
        bool lone = false;
        text = default;
        for (at = SkipPlainEscapes(_json, at); Peek(at) == '\\'; at = SkipPlainEscapes(_json, at))
        {
            int escape = at;
            at = ReadEscape(at + 1, out bool half);
            if (at < 0)
            {
                return Failed;
            }

            if (half && _rejectLoneSurrogates)
            {
                return Fail(JsonFault.LoneSurrogate, escape);
            }

            lone |= half;
        }

        if (Peek(at) != '"')
        {
            return Malformed(at);
        }

        text = new JsonText(start, at - start, HasEscapes: true, lone);
        return at + 1;
    }

    // Starts at the byte after the backslash. A pair of surrogate escapes is read as one.
    private int ReadEscape(int at, out bool isLoneSurrogate)
    {
        isLoneSurrogate = false;
        byte kind = Peek(at);
        if (kind != 'u')
        {
            return kind is (byte)'"' or (byte)'\\' or (byte)'/' or (byte)'b' or (byte)'f' or (byte)'n' or (byte)'r' or (byte)'t'
                ? at + 1
                : Malformed(at);
        }

        const int UnitLength = 5; // the u and four digits
        if (!JsonEscapes.TryReadUnit(_json[(at + 1)..], out ushort unit))
        {
            return Malformed(at);
        }

        at += UnitLength;
        if (!char.IsSurrogate((char)unit))
        {
            return at;
        }

        if (char.IsHighSurrogate((char)unit)
            && _json[at..].StartsWith("\\u"u8)
            && JsonEscapes.TryReadUnit(_json[(at + 2)..], out ushort low)
            && char.IsLowSurrogate((char)low))
        {
            return at + 1 + UnitLength;
        }

        isLoneSurrogate = true;
        return at;
    }
}
