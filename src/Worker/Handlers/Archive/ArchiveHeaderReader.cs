using System.Buffers;
using System.Collections.Immutable;
using System.Text;
using System.Text.Unicode;
using Worker.Json;

namespace Worker.Handlers.Archive;

/// <summary>
/// Reads the properties that a key needs straight from a JSON body and checks the body by the rule of <see cref="BodyValidation"/>.
/// Poison is a value; nothing is thrown for any body. Immutable: one instance serves all threads. Expected bytes allocated a
/// message: 0, except for poison.
/// </summary>
internal sealed class ArchiveHeaderReader
{
    private const int NotUsed = -1;

    private readonly byte[][] _names;
    private readonly bool[] _areDates;
    private readonly BodyValidation _validation;
    private readonly int _longestName;

    /// <param name="properties">What to look for, each name once; a property's index is its slot in the header.</param>
    /// <param name="validation">How much of the body must be valid.</param>
    public ArchiveHeaderReader(ImmutableArray<HeaderProperty> properties, BodyValidation validation = BodyValidation.Full)
    {
        _names = [.. properties.Select(p => p.Utf8Name)];
        _areDates = [.. properties.Select(p => p.Use.HasFlag(HeaderUse.Date))];
        _validation = validation;
        _longestName = _names.Max(n => n.Length);
    }

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>Reads one body.</summary>
    /// <param name="body">JSON in UTF-8, a byte order mark in front is skipped. Borrowed by the header until its Reset; never written to.</param>
    /// <param name="header">Receives the values; what it held before is forgotten. After poison it holds nothing to rely on.</param>
    /// <param name="poison">Why and where, when false is returned.</param>
    public bool TryRead(ReadOnlyMemory<byte> body, ArchiveHeader header, out Poison poison)
    {
        ReadOnlySpan<byte> json = body.Span;
        header.Begin(body, _names.Length);
        if (_validation != BodyValidation.HeaderOnly && !Utf8.IsValid(json))
        {
            poison = new Poison(PoisonReason.InvalidUtf8, FirstInvalidByte(json), null);
            return false;
        }

        var scanner = new JsonScanner(
            json,
            rejectLoneSurrogates: _validation != BodyValidation.HeaderOnly,
            _validation == BodyValidation.Strict ? header.Names() : null);
        if (ReadBody(ref scanner, json, header, out JsonText property))
        {
            poison = default;
            return true;
        }

        poison = new Poison(ReasonOf(scanner.Failure, header), scanner.FailedAt, property == default ? null : PropertyLogText.From(property, json));
        return false;
    }

    /// <param name="scanner">Knows the reason and the place when false is returned.</param>
    /// <param name="json">The whole body.</param>
    /// <param name="header">Receives the values.</param>
    /// <param name="property">The name of the top-level property read last, for the report; default outside of properties.</param>
    private bool ReadBody(ref JsonScanner scanner, ReadOnlySpan<byte> json, ArchiveHeader header, out JsonText property)
    {
        property = default;
        int at = scanner.SkipBlanks(json.StartsWith(ByteOrderMark) ? ByteOrderMark.Length : 0);
        if (scanner.Peek(at) != '{')
        {
            return FailWithoutObject(ref scanner, json, at, header);
        }

        at = scanner.EnterObject(at);
        if (scanner.Peek(at) == '}')
        {
            return ReadEnd(ref scanner, json, at + 1, header);
        }

        int missing = _names.Length;
        int expected = 0;
        while (true)
        {
            at = scanner.ReadName(at, out property);
            if (at < 0)
            {
                return false;
            }

            int slot = Find(property, json, expected);
            if (slot == NotUsed)
            {
                at = scanner.SkipValue(at, depth: 1);
            }
            else
            {
                at = ReadValue(ref scanner, json, at, property, slot, header);
                expected = slot + 1;
                if (--missing == 0 && at >= 0 && _validation == BodyValidation.HeaderOnly)
                {
                    return true;
                }
            }

            if (at < 0)
            {
                return false;
            }

            at = scanner.SkipBlanks(at);
            switch (scanner.Peek(at))
            {
                case (byte)',':
                    at = scanner.SkipBlanks(at + 1);
                    break;
                case (byte)'}':
                    property = default;
                    return ReadEnd(ref scanner, json, at + 1, header);
                default:
                    scanner.Fail(JsonFault.Malformed, at);
                    return false;
            }
        }
    }

    private int ReadValue(ref JsonScanner scanner, ReadOnlySpan<byte> json, int at, JsonText name, int slot, ArchiveHeader header)
    {
        ref HeaderValue value = ref header.Slot(slot);
        if (value.Found)
        {
            return scanner.Fail(JsonFault.DuplicateName, name.Start - 1);
        }

        value.Found = true;
        if (scanner.Peek(at) != '"')
        {
            // Null is as good as missing. The grammar comes first, so that a broken value is called broken.
            int after = scanner.SkipValue(at, depth: 1);
            return after < 0 || json[at] == 'n' ? after : Refuse(ref scanner, header, PoisonReason.WrongType, at);
        }

        int end = scanner.ReadString(at, out JsonText text);
        if (end < 0)
        {
            return end;
        }

        ReadOnlySpan<byte> bytes = text.In(json);
        if (_validation == BodyValidation.HeaderOnly && (text.HasLoneSurrogate || !Utf8.IsValid(bytes)))
        {
            return text.HasLoneSurrogate ? scanner.Fail(JsonFault.LoneSurrogate, at) : Refuse(ref scanner, header, PoisonReason.InvalidUtf8, at);
        }

        if (text.HasEscapes)
        {
            bytes = header.Unescape(bytes, ref value);
        }
        else
        {
            value.Start = text.Start;
            value.Length = text.Length;
        }

        if (_areDates[slot] && !bytes.IsEmpty && !HeaderDate.TryParse(bytes, out value.Date))
        {
            return Refuse(ref scanner, header, PoisonReason.BadDate, at);
        }

        return end;
    }

    // Messages of one producer have their properties in one order, so the guess is nearly always right.
    private int Find(JsonText name, ReadOnlySpan<byte> json, int expected)
    {
        if (name.HasEscapes)
        {
            return FindEscaped(name, json);
        }

        ReadOnlySpan<byte> bytes = name.In(json);
        byte[][] names = _names;
        return (uint)expected < (uint)names.Length && bytes.SequenceEqual(names[expected]) ? expected : Find(bytes);
    }

    private int Find(ReadOnlySpan<byte> name)
    {
        byte[][] names = _names;
        for (int slot = 0; slot < names.Length; slot++)
        {
            if (name.SequenceEqual(names[slot]))
            {
                return slot;
            }
        }

        return NotUsed;
    }

    private int FindEscaped(JsonText name, ReadOnlySpan<byte> json)
    {
        if (name.HasLoneSurrogate || name.Length > _longestName * JsonEscapes.MaxBytesPerByte)
        {
            return NotUsed;
        }

        byte[] unescaped = ArrayPool<byte>.Shared.Rent(name.Length);
        try
        {
            return Find(unescaped.AsSpan(0, JsonEscapes.Unescape(name.In(json), unescaped)));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(unescaped);
        }
    }

    private bool ReadEnd(ref JsonScanner scanner, ReadOnlySpan<byte> json, int at, ArchiveHeader header)
    {
        at = _validation == BodyValidation.HeaderOnly ? json.Length : scanner.SkipBlanks(at);
        return at == json.Length || Refuse(ref scanner, header, PoisonReason.TrailingData, at) >= 0;
    }

    // The whole value is read before it is called valid JSON of the wrong kind.
    private static bool FailWithoutObject(ref JsonScanner scanner, ReadOnlySpan<byte> json, int at, ArchiveHeader header)
    {
        if (at == json.Length)
        {
            Refuse(ref scanner, header, PoisonReason.EmptyBody, at);
        }
        else if (scanner.SkipValue(at, depth: 0) is >= 0 and int end)
        {
            int rest = scanner.SkipBlanks(end);
            bool isAll = rest == json.Length;
            Refuse(ref scanner, header, isAll ? PoisonReason.NotAnObject : PoisonReason.TrailingData, isAll ? at : rest);
        }

        return false;
    }

    private static int Refuse(ref JsonScanner scanner, ArchiveHeader header, PoisonReason reason, int at)
    {
        header.Refusal = reason;
        return scanner.Fail(JsonFault.Refused, at);
    }

    private static PoisonReason ReasonOf(JsonFault fault, ArchiveHeader header) => fault switch
    {
        JsonFault.Refused => header.Refusal,
        JsonFault.LoneSurrogate => PoisonReason.LoneSurrogate,
        JsonFault.TooDeep => PoisonReason.TooDeep,
        JsonFault.DuplicateName => PoisonReason.DuplicateProperty,
        _ => PoisonReason.MalformedJson,
    };

    private static int FirstInvalidByte(ReadOnlySpan<byte> text)
    {
        int at = 0;
        while (Rune.DecodeFromUtf8(text[at..], out _, out int length) == OperationStatus.Done)
        {
            at += length;
        }

        return at;
    }
}
