using System.Runtime.CompilerServices;

namespace Quayside.Messaging.Json;

/// <summary>
/// Validates JSON (RFC 8259) in one pass, without recursion, exceptions or allocation; 64 levels at most. Every method takes the index to
/// start at and returns the index after what it read. After a fault it returns <see cref="Failed"/>, and <see cref="Failure"/> and
/// <see cref="FailedAt"/> describe the fault. The scanner works on bytes and does not check that the text is UTF-8: its caller
/// must.
/// </summary>
/// <remarks>
/// Why not Utf8JsonReader: on a 300-byte message it takes twice the time, it reports faults by throwing, and it accepts lone
/// surrogates; see docs/evidence/adr/json-scanner.md. Tests compare this scanner with it.
/// </remarks>
internal ref partial struct JsonScanner
{
    /// <summary>Maximum nesting of objects and arrays, the outermost included. A bit per open level fits one ulong.</summary>
    public const int MaxDepth = 64;

    /// <summary>Returned instead of an index after a fault.</summary>
    public const int Failed = -1;

    private readonly ReadOnlySpan<byte> _json;
    private readonly bool _rejectLoneSurrogates;

    /// <param name="json">The text. Blanks are skipped, a byte order mark is not.</param>
    /// <param name="rejectLoneSurrogates">True to make half a surrogate pair a fault everywhere; otherwise <see cref="JsonText"/> reports it.</param>
    public JsonScanner(ReadOnlySpan<byte> json, bool rejectLoneSurrogates)
    {
        _json = json;
        _rejectLoneSurrogates = rejectLoneSurrogates;
    }

    /// <summary>The fault, after a method returned <see cref="Failed"/>.</summary>
    public JsonFault Failure { get; private set; }

    /// <summary>Index of the byte where the fault was detected; the text's length when it ended too early.</summary>
    public int FailedAt { get; private set; }

    /// <summary>The text.</summary>
    public readonly ReadOnlySpan<byte> Json => _json;

    /// <summary>Like the instance method, for loops that keep the text in a local, and so in registers.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte Peek(ReadOnlySpan<byte> json, int at) => (uint)at < (uint)json.Length ? json[at] : (byte)0;

    /// <inheritdoc cref="Peek(ReadOnlySpan{byte}, int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int SkipBlanks(ReadOnlySpan<byte> json, int at) => Peek(json, at) > ' ' ? at : SkipBlanksSlow(json, at);

    /// <summary>Skips JSON's four blanks; never fails.</summary>
    public readonly int SkipBlanks(int at) => SkipBlanks(_json, at);

    /// <summary>Goes into an object or an array.</summary>
    /// <param name="at">Index of its opening bracket.</param>
    /// <param name="open">The bracket, <c>{</c> or <c>[</c>.</param>
    /// <param name="isEnd">True when it is empty, or after a fault.</param>
    /// <returns>The index of its first name or element, or after the closing bracket.</returns>
    public int Enter(int at, char open, out bool isEnd)
    {
        isEnd = true;
        if (Peek(at) != open)
        {
            return Malformed(at);
        }

        at = SkipBlanks(at + 1);
        isEnd = Peek(at) == (open == '{' ? '}' : ']');
        return isEnd ? at + 1 : at;
    }

    /// <summary>Goes to the next name or element of an object or an array.</summary>
    /// <param name="at">The index after a value in it.</param>
    /// <param name="close">Its closing bracket, <c>}</c> or <c>]</c>.</param>
    /// <param name="isEnd">True when there is none, or after a fault.</param>
    /// <returns>The index of the next name or element, or after the closing bracket.</returns>
    public int Next(int at, char close, out bool isEnd)
    {
        at = SkipBlanks(at);
        isEnd = Peek(at) != ',';
        return !isEnd ? SkipBlanks(at + 1)
            : Peek(at) == close ? at + 1
            : Malformed(at);
    }

    /// <summary>Validates one value of any kind, with everything inside it.</summary>
    /// <param name="at">Index of its first byte, blanks skipped.</param>
    /// <param name="depth">Number of open objects and arrays around it.</param>
    public int SkipValue(int at, int depth)
    {
        ReadOnlySpan<byte> json = _json; // a local stays in registers, the field does not
        int outerDepth = depth;
        ulong objects = 0; // a bit for each level opened here, the innermost lowest: 1 is an object, 0 an array
        bool atName = false; // names are read in one place, so that the inlined code exists once
        while (true)
        {
            if (atName && (at = ReadName(at, out _)) < 0)
            {
                return Failed;
            }

            byte first = Peek(json, at);
            if (first == '"')
            {
                at = ReadString(at, out _);
            }
            else if (first is (byte)'{' or (byte)'[')
            {
                if (depth == MaxDepth)
                {
                    return Fail(JsonFault.TooDeep, at);
                }

                bool isObject = first == '{';
                depth++;
                objects = (objects << 1) | (isObject ? 1u : 0u);
                at = SkipBlanks(json, at + 1);
                if (Peek(json, at) != (isObject ? '}' : ']'))
                {
                    atName = isObject;
                    continue;
                }
            }
            else
            {
                at = SkipScalar(at);
            }

            if (at < 0)
            {
                return Failed;
            }

            while (true)
            {
                if (depth == outerDepth)
                {
                    return at;
                }

                at = SkipBlanks(json, at);
                bool inObject = (objects & 1) != 0;
                byte next = Peek(json, at);
                if (next == ',')
                {
                    at = SkipBlanks(json, at + 1);
                    atName = inObject;
                    break;
                }

                if (next != (inObject ? '}' : ']'))
                {
                    return Malformed(at);
                }

                at++;
                depth--;
                objects >>= 1;
            }
        }
    }

    /// <summary>Validates a number, <c>true</c>, <c>false</c> or <c>null</c>.</summary>
    public int SkipScalar(int at)
    {
        byte first = Peek(at);
        return first == '-' || char.IsAsciiDigit((char)first) ? SkipNumber(at) : ReadLiteral(at);
    }

    /// <summary>The byte at an index; past the end 0, which valid JSON never contains.</summary>
    public readonly byte Peek(int at) => Peek(_json, at);

    /// <summary>Records a fault and its position.</summary>
    public int Fail(JsonFault fault, int at)
    {
        Failure = fault;
        FailedAt = Math.Min(at, _json.Length);
        return Failed;
    }

    private static int SkipBlanksSlow(ReadOnlySpan<byte> json, int at)
    {
        while (Peek(json, at) is (byte)' ' or (byte)'\n' or (byte)'\r' or (byte)'\t')
        {
            at++;
        }

        return at;
    }

    // True, false, null, or malformed.
    private int ReadLiteral(int at)
    {
        ReadOnlySpan<byte> rest = _json[Math.Min(at, _json.Length)..];
        if (rest.StartsWith("true"u8) || rest.StartsWith("null"u8))
        {
            return at + 4;
        }

        return rest.StartsWith("false"u8) ? at + 5 : Malformed(at);
    }

    private int SkipNumber(int at)
    {
        ReadOnlySpan<byte> json = _json;
        if (Peek(json, at) == '-')
        {
            at++;
        }

        int end = Peek(json, at) == '0' ? at + 1 : SkipDigits(json, at);
        if (end == at)
        {
            return Malformed(at);
        }

        at = end;
        if (Peek(json, at) == '.')
        {
            end = SkipDigits(json, at + 1);
            if (end == at + 1)
            {
                return Malformed(end);
            }

            at = end;
        }

        if (Peek(json, at) is (byte)'e' or (byte)'E')
        {
            at += Peek(json, at + 1) is (byte)'+' or (byte)'-' ? 2 : 1;
            end = SkipDigits(json, at);
            if (end == at)
            {
                return Malformed(end);
            }

            at = end;
        }

        return at;
    }

    private static int SkipDigits(ReadOnlySpan<byte> json, int at)
    {
        while (char.IsAsciiDigit((char)Peek(json, at)))
        {
            at++;
        }

        return at;
    }

    private int Malformed(int at) => Fail(JsonFault.Malformed, at);
}

/// <summary>What is wrong with a JSON text.</summary>
internal enum JsonFault
{
    /// <summary>Nothing is wrong.</summary>
    None = 0,

    /// <summary>The grammar of RFC 8259 is broken, or the text ends too early.</summary>
    Malformed,

    /// <summary>An escape encodes half a surrogate pair, such as <c>\ud800</c> alone, which is not valid Unicode.</summary>
    LoneSurrogate,

    /// <summary>More than <see cref="JsonScanner.MaxDepth"/> levels of objects and arrays.</summary>
    TooDeep,

    /// <summary>An object has a name twice that the reader uses.</summary>
    DuplicateName,

    /// <summary>The reader rejects the JSON, and keeps the reason itself.</summary>
    Refused,
}

/// <summary>The location of a JSON string in the text, without its quotes.</summary>
/// <param name="Start">Index of the first byte after the opening quote.</param>
/// <param name="Length">Bytes between the quotes, escapes as written; may be 0.</param>
/// <param name="HasEscapes">True when the bytes must be unescaped before use.</param>
/// <param name="HasLoneSurrogate">True when an escape encodes half a surrogate pair; such text cannot be unescaped.</param>
internal readonly record struct JsonText(int Start, int Length, bool HasEscapes, bool HasLoneSurrogate)
{
    /// <summary>The bytes between the quotes.</summary>
    /// <param name="json">The text that was scanned.</param>
    public ReadOnlySpan<byte> In(ReadOnlySpan<byte> json) => json.Slice(Start, Length);

    /// <summary>True when the string means this text; half a surrogate pair equals no text.</summary>
    /// <param name="json">The text that was scanned.</param>
    /// <param name="text">UTF-8, unescaped.</param>
    public bool Is(ReadOnlySpan<byte> json, ReadOnlySpan<byte> text) => HasEscapes ? JsonEscapes.IsText(In(json), text) : In(json).SequenceEqual(text);
}
