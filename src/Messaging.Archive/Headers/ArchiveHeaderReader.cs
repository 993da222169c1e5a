using System.Buffers;
using System.Collections.Immutable;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Unicode;
using Quayside.Messaging.Json;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Archive.Headers;

/// <summary>
/// Reads the values that a key needs, at any depth, in one pass over a JSON body, and validates the body by <see cref="BodyValidation"/>.
/// Poison is a value: no body makes it throw. Immutable: one instance serves all threads. Expected bytes allocated per
/// message: 0, except for poison.
/// </summary>
internal sealed partial class ArchiveHeaderReader
{
    // Returned instead of an index, like JsonScanner.Failed: every property was found, and the validation requires no more.
    private const int Enough = -2;

    // Instead of the index of a name.
    private const int NoName = -1;

    private readonly HeaderNode _root;
    private readonly int _slots;
    private readonly BodyValidation _validation;
    private readonly DateForms _dateForms;
    private readonly bool _leavesOutBadDates;

    /// <param name="properties">The properties; each path occurs once, and none is part of another. A property's index is its slot in the header.</param>
    /// <param name="validation">How much of the body must be valid.</param>
    /// <param name="dateForms">The forms of dates other than ISO 8601's; null for the known ones.</param>
    /// <param name="leavesOutBadDates">True when a date that cannot be read is no date; false when it makes the message poison.</param>
    public ArchiveHeaderReader(
        ImmutableArray<HeaderProperty> properties, BodyValidation validation = BodyValidation.Full, DateForms? dateForms = null, bool leavesOutBadDates = false)
    {
        _root = HeaderNode.Build(properties, out _slots);
        _ofSource = OfSource(properties);
        _validation = validation;
        _dateForms = dateForms ?? DateForms.Known;
        _leavesOutBadDates = leavesOutBadDates;
    }

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>Reads one body.</summary>
    /// <param name="body">JSON in UTF-8; an initial byte order mark is skipped. Borrowed by the header until its Reset; never written to.</param>
    /// <param name="header">Receives the values and drops the previous ones. Its values are undefined after poison.</param>
    /// <param name="poison">The reason and the position, when false is returned.</param>
    public bool TryRead(ReadOnlyMemory<byte> body, ArchiveHeader header, out Poison poison)
    {
        ReadOnlySpan<byte> json = body.Span;
        header.Begin(body, _slots);
        if (_validation != BodyValidation.HeaderOnly && !Utf8.IsValid(json))
        {
            poison = new Poison(PoisonReason.InvalidUtf8, FirstInvalidByte(json), null);
            return false;
        }

        var scanner = new JsonScanner(json, rejectLoneSurrogates: _validation != BodyValidation.HeaderOnly);
        if (ReadBody(ref scanner, json, header, out int nameAt))
        {
            poison = default;
            return true;
        }

        poison = new Poison(ReasonOf(scanner.Failure, header), scanner.FailedAt, header.Refused?.LogText ?? LogTextOf(nameAt, json));
        return false;
    }

    /// <param name="scanner">Has the fault and its position when false is returned.</param>
    /// <param name="json">The whole body.</param>
    /// <param name="header">Receives the values.</param>
    /// <param name="nameAt">Index of the name of the top-level property read last, for the report; <see cref="NoName"/> outside properties.</param>
    private bool ReadBody(ref JsonScanner scanner, ReadOnlySpan<byte> json, ArchiveHeader header, out int nameAt)
    {
        int at = scanner.SkipBlanks(json.StartsWith(ByteOrderMark) ? ByteOrderMark.Length : 0);
        if (scanner.Peek(at) != '{')
        {
            nameAt = NoName;
            return FailWithoutObject(ref scanner, json, at, header);
        }

        header.Missing = _root.Leaves;
        at = Walk(ref scanner, at, header, out nameAt);
        return at == Enough || (at >= 0 && ReadEnd(ref scanner, json, at, header));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int ReadText(ref JsonScanner scanner, int at, HeaderNode node, ArchiveHeader header, ref HeaderValue value)
    {
        int end = scanner.ReadString(at, out JsonText text);
        if (end < 0)
        {
            return end;
        }

        ReadOnlySpan<byte> bytes = text.In(scanner.Json);
        if (_validation == BodyValidation.HeaderOnly && (text.HasLoneSurrogate || !Utf8.IsValid(bytes)))
        {
            return Refuse(ref scanner, header, node, text.HasLoneSurrogate ? PoisonReason.LoneSurrogate : PoisonReason.InvalidUtf8, at);
        }

        value.Position = at;
        if (text.HasEscapes)
        {
            bytes = header.Unescape(bytes, ref value);
        }
        else
        {
            value.Start = text.Start;
            value.Length = text.Length;
        }

        return node.DateUse == HeaderUse.None || bytes.IsEmpty || ReadDate(bytes, node, ref value)
            ? end
            : Refuse(ref scanner, header, node, PoisonReason.BadDate, at);
    }

    private bool ReadDate(ReadOnlySpan<byte> text, HeaderNode node, ref HeaderValue value)
    {
        value.IsBadDate = !HeaderDate.TryParse(text, node.DateUse, _dateForms, out value.Date);
        return !value.IsBadDate || _leavesOutBadDates;
    }

    // Reads numbers, booleans and null; refuses other values.
    private int ReadOther(ref JsonScanner scanner, int at, byte first, HeaderNode node, ArchiveHeader header, ref HeaderValue value)
    {
        if (node.TakesNumbers && (first == '-' || char.IsAsciiDigit((char)first) || (first is (byte)'t' or (byte)'f' && node.DateUse == HeaderUse.None)))
        {
            return ReadNumber(ref scanner, at, node, header, ref value);
        }

        // Null counts as missing. The value is validated first, so that a malformed one is reported as malformed.
        int after = scanner.SkipValue(at, node.Depth);
        if (after >= 0 && first != 'n' && node.DateUse != HeaderUse.None && _leavesOutBadDates)
        {
            // A number, a boolean, an array or an object is no date either.
            (value.Position, value.IsBadDate) = (at, true);
            return after;
        }

        return after < 0 || first == 'n' || node.TakesAll ? after : Refuse(ref scanner, header, node, PoisonReason.WrongType, at);
    }

    private int ReadNumber(ref JsonScanner scanner, int at, HeaderNode node, ArchiveHeader header, ref HeaderValue value)
    {
        int end = scanner.SkipScalar(at);
        if (end < 0)
        {
            return end;
        }

        // HeaderOnly reads nothing after the last value, and in a truncated body the number may lack digits.
        int next = scanner.SkipBlanks(end);
        if (scanner.Peek(next) is not ((byte)',' or (byte)'}' or (byte)']'))
        {
            return scanner.Fail(JsonFault.Malformed, next);
        }

        value.Position = at;
        value.Start = at;
        value.Length = end - at;
        return node.DateUse == HeaderUse.None || ReadDate(scanner.Json[at..end], node, ref value)
            ? end
            : Refuse(ref scanner, header, node, PoisonReason.BadDate, at);
    }

    private bool ReadEnd(ref JsonScanner scanner, ReadOnlySpan<byte> json, int at, ArchiveHeader header)
    {
        at = _validation == BodyValidation.HeaderOnly ? json.Length : scanner.SkipBlanks(at);
        return at == json.Length || Refuse(ref scanner, header, node: null, PoisonReason.TrailingData, at) >= 0;
    }

    // Validates the whole value before reporting it as valid JSON of the wrong kind.
    private static bool FailWithoutObject(ref JsonScanner scanner, ReadOnlySpan<byte> json, int at, ArchiveHeader header)
    {
        if (at == json.Length)
        {
            Refuse(ref scanner, header, node: null, PoisonReason.EmptyBody, at);
        }
        else if (scanner.SkipValue(at, depth: 0) is >= 0 and int end)
        {
            int rest = scanner.SkipBlanks(end);
            bool isAll = rest == json.Length;
            Refuse(ref scanner, header, node: null, isAll ? PoisonReason.NotAnObject : PoisonReason.TrailingData, isAll ? at : rest);
        }

        return false;
    }

    private static int Refuse(ref JsonScanner scanner, ArchiveHeader header, HeaderNode? node, string reason, int at)
    {
        header.Refusal = reason;
        header.Refused = node;
        return scanner.Fail(JsonFault.Refused, at);
    }

    private static string? ReasonOf(JsonFault fault, ArchiveHeader header) => fault switch
    {
        JsonFault.Refused => header.Refusal,
        JsonFault.LoneSurrogate => PoisonReason.LoneSurrogate,
        JsonFault.TooDeep => PoisonReason.TooDeep,
        JsonFault.DuplicateName => PoisonReason.DuplicateProperty,
        _ => PoisonReason.MalformedJson,
    };

    // The walk keeps only a name's index. A name that is malformed, or has half a surrogate pair where that is a fault, is not shown.
    private string? LogTextOf(int nameAt, ReadOnlySpan<byte> json)
    {
        if (nameAt == NoName)
        {
            return null;
        }

        var scanner = new JsonScanner(json, rejectLoneSurrogates: _validation != BodyValidation.HeaderOnly);
        return scanner.ReadString(nameAt, out JsonText name) < 0 ? null : ShowName(name, json);
    }

    private static string ShowName(JsonText name, ReadOnlySpan<byte> json)
    {
        ReadOnlySpan<byte> raw = name.In(json);
        if (!name.HasEscapes || name.HasLoneSurrogate)
        {
            return UntrustedText.Shorten(raw);
        }

        byte[] unescaped = new byte[raw.Length];
        return UntrustedText.Shorten(unescaped.AsSpan(0, JsonEscapes.Unescape(raw, unescaped)));
    }

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
