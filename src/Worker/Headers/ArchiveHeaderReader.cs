using System.Buffers;
using System.Collections.Immutable;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Unicode;
using Worker.Json;

namespace Worker.Headers;

/// <summary>
/// Reads the values that a key needs, at any depth, in one walk over a JSON body, and checks the body by the rule of <see cref="BodyValidation"/>.
/// Poison is a value; nothing is thrown for any body. Immutable: one instance serves all threads. Expected bytes allocated a
/// message: 0, except for poison.
/// </summary>
internal sealed partial class ArchiveHeaderReader
{
    // Returned instead of an index, like JsonScanner.Failed: every property was found, and the rule asks for no more.
    private const int Enough = -2;

    // Instead of the index of a name.
    private const int NoName = -1;

    private readonly HeaderNode _root;
    private readonly int _slots;
    private readonly BodyValidation _validation;

    /// <param name="properties">What to look for, each path once and none part of another; a property's index is its slot in the header.</param>
    /// <param name="validation">How much of the body must be valid.</param>
    public ArchiveHeaderReader(ImmutableArray<HeaderProperty> properties, BodyValidation validation = BodyValidation.Full)
    {
        _root = HeaderNode.Build(properties, out _slots);
        _validation = validation;
    }

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>Reads one body.</summary>
    /// <param name="body">JSON in UTF-8, a byte order mark in front is skipped. Borrowed by the header until its Reset; never written to.</param>
    /// <param name="header">Receives the values; what it held before is forgotten. After poison it holds nothing to rely on.</param>
    /// <param name="poison">Why and where, when false is returned.</param>
    public bool TryRead(ReadOnlyMemory<byte> body, ArchiveHeader header, out Poison poison)
    {
        ReadOnlySpan<byte> json = body.Span;
        header.Begin(body, _slots);
        if (_validation != BodyValidation.HeaderOnly && !Utf8.IsValid(json))
        {
            poison = new Poison(PoisonReason.InvalidUtf8, FirstInvalidByte(json), null);
            return false;
        }

        var scanner = new JsonScanner(
            json,
            rejectLoneSurrogates: _validation != BodyValidation.HeaderOnly,
            _validation == BodyValidation.Strict ? header.Names() : null);
        if (ReadBody(ref scanner, json, header, out int nameAt))
        {
            poison = default;
            return true;
        }

        poison = new Poison(ReasonOf(scanner.Failure, header), scanner.FailedAt, header.Refused?.LogText ?? LogTextOf(nameAt, json));
        return false;
    }

    /// <param name="scanner">Knows the reason and the place when false is returned.</param>
    /// <param name="json">The whole body.</param>
    /// <param name="header">Receives the values.</param>
    /// <param name="nameAt">Index of the name of the top-level property read last, for the report; <see cref="NoName"/> outside of properties.</param>
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

        return node.DateUse == HeaderUse.None || bytes.IsEmpty || HeaderDate.TryParse(bytes, node.DateUse, out value.Date)
            ? end
            : Refuse(ref scanner, header, node, PoisonReason.BadDate, at);
    }

    // Numbers, null, and what is not taken.
    private static int ReadOther(ref JsonScanner scanner, int at, byte first, HeaderNode node, ArchiveHeader header, ref HeaderValue value)
    {
        if (node.TakesNumbers && (first is (byte)'-' or (byte)'t' or (byte)'f' || char.IsAsciiDigit((char)first)))
        {
            return ReadNumber(ref scanner, at, node, header, ref value);
        }

        // Null is as good as missing. The grammar comes first, so that a broken value is called broken.
        int after = scanner.SkipValue(at, node.Depth);
        return after < 0 || first == 'n' ? after : Refuse(ref scanner, header, node, PoisonReason.WrongType, at);
    }

    private static int ReadNumber(ref JsonScanner scanner, int at, HeaderNode node, ArchiveHeader header, ref HeaderValue value)
    {
        int end = scanner.SkipScalar(at);
        if (end < 0)
        {
            return end;
        }

        // Under HeaderOnly nothing else looks behind the last value, and of a body that was cut the number may have more digits.
        int next = scanner.SkipBlanks(end);
        if (scanner.Peek(next) is not ((byte)',' or (byte)'}' or (byte)']'))
        {
            return scanner.Fail(JsonFault.Malformed, next);
        }

        value.Position = at;
        value.Start = at;
        value.Length = end - at;
        return node.DateUse == HeaderUse.None || HeaderDate.TryParse(scanner.Json[at..end], node.DateUse, out value.Date)
            ? end
            : Refuse(ref scanner, header, node, PoisonReason.BadDate, at);
    }

    private bool ReadEnd(ref JsonScanner scanner, ReadOnlySpan<byte> json, int at, ArchiveHeader header)
    {
        at = _validation == BodyValidation.HeaderOnly ? json.Length : scanner.SkipBlanks(at);
        return at == json.Length || Refuse(ref scanner, header, node: null, PoisonReason.TrailingData, at) >= 0;
    }

    // The whole value is read before it is called valid JSON of the wrong kind.
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

    private static int Refuse(ref JsonScanner scanner, ArchiveHeader header, HeaderNode? node, PoisonReason reason, int at)
    {
        header.Refusal = reason;
        header.Refused = node;
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

    // The walk keeps a name's place only; a name that is itself malformed, or has half a surrogate pair where that is a fault, is not shown.
    private string? LogTextOf(int nameAt, ReadOnlySpan<byte> json)
    {
        if (nameAt == NoName)
        {
            return null;
        }

        var scanner = new JsonScanner(json, rejectLoneSurrogates: _validation != BodyValidation.HeaderOnly, names: null);
        return scanner.ReadString(nameAt, out JsonText name) < 0 ? null : PropertyLogText.From(name, json);
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
