using System.Runtime.CompilerServices;

namespace Worker.Json;

/// <summary>
/// Checks JSON (RFC 8259) while walking over it, without recursion, exceptions or allocation; 64 levels at most. Every method takes the
/// index to start at and returns the index after what it read, or <see cref="Failed"/> with what is wrong in
/// <see cref="Failure"/> and the place in <see cref="FailedAt"/>. It knows bytes, not characters: whether the text is UTF-8 is
/// the caller's question.
/// </summary>
/// <remarks>
/// Why not Utf8JsonReader: on a 300-byte message it takes twice the time, it reports faults by throwing, and it accepts lone
/// surrogates; see docs/explanation/adr/json-scanner.md. The tests hold this scanner against it.
/// </remarks>
internal ref partial struct JsonScanner
{
    /// <summary>Objects and arrays inside each other at most, the outermost included. The kinds of all open levels fit one ulong.</summary>
    public const int MaxDepth = 64;

    /// <summary>Returned instead of an index.</summary>
    public const int Failed = -1;

    private readonly ReadOnlySpan<byte> _json;
    private readonly bool _rejectLoneSurrogates;
    private readonly JsonNameSet? _names;

    /// <param name="json">The text. Blanks are skipped, a byte order mark is not.</param>
    /// <param name="rejectLoneSurrogates">Whether half a surrogate pair is a fault everywhere; otherwise <see cref="JsonText"/> tells.</param>
    /// <param name="names">Receives every property name, so that duplicates are faults; null to allow them.</param>
    public JsonScanner(ReadOnlySpan<byte> json, bool rejectLoneSurrogates, JsonNameSet? names)
    {
        _json = json;
        _rejectLoneSurrogates = rejectLoneSurrogates;
        _names = names;
    }

    /// <summary>What is wrong, after a method returned <see cref="Failed"/>.</summary>
    public JsonFault Failure { get; private set; }

    /// <summary>Index of the byte where that was noticed; the text's length when it ended too early.</summary>
    public int FailedAt { get; private set; }

    /// <summary>The text.</summary>
    public readonly ReadOnlySpan<byte> Json => _json;

    /// <summary>As the method of an instance, for loops that keep the text in a local: registers hold it, not memory.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte Peek(ReadOnlySpan<byte> json, int at) => (uint)at < (uint)json.Length ? json[at] : (byte)0;

    /// <inheritdoc cref="Peek(ReadOnlySpan{byte}, int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int SkipBlanks(ReadOnlySpan<byte> json, int at) => Peek(json, at) > ' ' ? at : SkipBlanksSlow(json, at);

    /// <summary>Steps over the four blanks of JSON; never fails.</summary>
    public readonly int SkipBlanks(int at) => SkipBlanks(_json, at);

    /// <summary>Checks one value of any kind, with everything inside it.</summary>
    /// <param name="at">Index of its first byte, blanks skipped.</param>
    /// <param name="depth">Objects and arrays open around it.</param>
    public int SkipValue(int at, int depth)
    {
        ReadOnlySpan<byte> json = _json; // a local stays in registers, the field does not
        int outerDepth = depth;
        ulong objects = 0; // a bit for each level opened here, the innermost lowest: 1 is an object, 0 an array
        bool atName = false; // one place that reads names, so that its code stands here once
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
                at = isObject ? EnterObject(at) : SkipBlanks(json, at + 1);
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
                if (inObject)
                {
                    LeaveObject();
                }
            }
        }
    }

    /// <summary>Checks a number, <c>true</c>, <c>false</c> or <c>null</c>.</summary>
    public int SkipScalar(int at)
    {
        byte first = Peek(at);
        return first == '-' || char.IsAsciiDigit((char)first) ? SkipNumber(at) : ReadLiteral(at);
    }

    /// <summary>Steps over an object's opening brace; its names belong together until it closes.</summary>
    public readonly int EnterObject(int at)
    {
        _names?.Enter();
        return SkipBlanks(at + 1);
    }

    /// <summary>The object that <see cref="EnterObject"/> opened last has ended.</summary>
    public readonly void LeaveObject() => _names?.Leave();

    /// <summary>The byte at an index; 0, which no JSON text has outside a fault, past the end.</summary>
    public readonly byte Peek(int at) => Peek(_json, at);

    /// <summary>Notes what is wrong and where.</summary>
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
