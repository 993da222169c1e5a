using Messaging.Json;

namespace Messaging.CloudFront.Elasticsearch.BulkResponses;

/// <summary>
/// Reads Elasticsearch's answer to a <c>_bulk</c> request from windows of any size, and tells of the items that failed; for the
/// others, and for everything that it does not know, it allocates nothing. The grammar of every byte is checked, with one exception:
/// <c>"errors":false</c> before the items says that none failed, and what follows is then not parsed. Threads: one at a time.
/// </summary>
/// <remarks>
/// What counts as malformed, beside JSON that is none: <c>errors</c> that is not true or false, <c>items</c> that is not an array,
/// an item that is not an object of one object, a status that is not a whole number from 100 to 599, one of these, an id or an error
/// twice, no <c>items</c> at all, a member or an item beyond <see cref="MaxMemberBytes"/>. Format: "Bulk API", Elasticsearch reference.
/// </remarks>
internal sealed partial class BulkResponseParser
{
    /// <summary>The longest item, or other member of the response, in bytes: a reason quotes a part of the document, some hundred bytes.</summary>
    public const int MaxMemberBytes = 64 * 1024;

    // Where a text ends too early the scanner stops at most so far before its end: at the letter of \uD83D\uDE00 or of false.
    private const int LongestToken = 12;

    private Position _position;
    private Position _next;
    private bool _itemsSeen;

    /// <summary>What comes next.</summary>
    private enum Position
    {
        Start = 0,
        FirstMember,
        Member,
        AfterMember,
        FirstItem,
        Item,
        AfterItem,
        End,
        Shortened,
    }

    /// <summary>Items so far. Of a shortened response the properties named <c>status</c>: each item has one.</summary>
    public int Items { get; private set; }

    /// <summary>What the response says: true when an item failed; null when it did not say.</summary>
    public bool? Errors { get; private set; }

    /// <summary>True when the response said <c>"errors":false</c> before its items, which are not parsed.</summary>
    public bool IsShortened => _position == Position.Shortened;

    /// <summary>
    /// Whether the items of a shortened response are counted, so that an answer that was cut, or is of another request, is noticed. It
    /// costs a search of bytes that have to be fetched anyway. Without it such a response is complete at once, whatever follows.
    /// </summary>
    public bool CountShortened { get; init; } = true;

    /// <summary>Makes ready for the next response.</summary>
    public void Reset()
    {
        _position = Position.Start;
        _itemsSeen = false;
        Items = 0;
        Errors = null;
    }

    /// <summary>Reads on.</summary>
    /// <param name="window">What was not consumed of the window before and what has come since.</param>
    /// <param name="isEnd">True when nothing follows.</param>
    /// <param name="items">Told of failed items.</param>
    /// <param name="consumed">Bytes that are done with; the next window begins behind them.</param>
    public BulkParsing Read(ReadOnlySpan<byte> window, bool isEnd, IBulkItems items, out int consumed)
    {
        consumed = 0;
        JsonScanner scanner = new(window, rejectLoneSurrogates: false, names: null);
        while (_position != Position.Shortened)
        {
            int at = scanner.SkipBlanks(consumed);
            if (at >= window.Length)
            {
                consumed = window.Length;
                return !isEnd ? BulkParsing.NeedsMore : _position == Position.End ? BulkParsing.Complete : BulkParsing.Malformed;
            }

            at = Step(ref scanner, at, window, items);
            if (!isEnd && IsUncertain(at, scanner.FailedAt, window))
            {
                return window.Length - consumed <= MaxMemberBytes ? BulkParsing.NeedsMore : BulkParsing.Malformed;
            }

            if (at < 0 || at - consumed > MaxMemberBytes)
            {
                return BulkParsing.Malformed;
            }

            consumed = at;
            _position = _next;
        }

        return CountShortened ? Count(window, isEnd, ref consumed) : Skip(window, out consumed);
    }

    // More bytes could make something else of it: of a fault near the end, and of a number that the end may have cut.
    private static bool IsUncertain(int at, int failedAt, ReadOnlySpan<byte> window) =>
        at < 0 ? failedAt + LongestToken >= window.Length : at == window.Length && char.IsAsciiDigit((char)window[^1]);

    private static BulkParsing Skip(ReadOnlySpan<byte> window, out int consumed)
    {
        consumed = window.Length;
        return BulkParsing.Complete;
    }

    /// <summary>
    /// Counts <c>"status":</c>. Its second quote ends a string, as it stands behind a letter; so every find is a property's name, and
    /// no text of an id or an index can be taken for one.
    /// </summary>
    private BulkParsing Count(ReadOnlySpan<byte> window, bool isEnd, ref int consumed)
    {
        ReadOnlySpan<byte> status = "\"status\":"u8;
        ReadOnlySpan<byte> rest = window[consumed..];
        Items += rest.Count(status);
        if (!isEnd)
        {
            // The end may have cut one in two; what is kept is too short to hold one that was counted.
            consumed = Math.Max(consumed, window.Length - status.Length + 1);
            return BulkParsing.NeedsMore;
        }

        consumed = window.Length;
        return rest.TrimEnd(" \t\r\n"u8) is [.., (byte)'}'] ? BulkParsing.Complete : BulkParsing.Malformed;
    }

    /// <summary>Reads one step of the grammar, and says in <see cref="_next"/> what follows it.</summary>
    /// <returns>The index behind it, or a negative number.</returns>
    private int Step(ref JsonScanner scanner, int at, ReadOnlySpan<byte> window, IBulkItems items)
    {
        byte first = window[at];
        switch (_position)
        {
            case Position.Start:
                return first == '{' ? Advance(at + 1, Position.FirstMember) : Malformed(ref scanner, at);
            case Position.FirstMember when first == '}':
            case Position.AfterMember when first == '}':
                return _itemsSeen ? Advance(at + 1, Position.End) : Malformed(ref scanner, at);
            case Position.FirstMember or Position.Member:
                return ReadMember(ref scanner, at, window);
            case Position.AfterMember:
                return first == ',' ? Advance(at + 1, Position.Member) : Malformed(ref scanner, at);
            case Position.FirstItem when first == ']':
            case Position.AfterItem when first == ']':
                return Advance(at + 1, Position.AfterMember);
            case Position.FirstItem or Position.Item:
                return ReadItem(ref scanner, at, window, items);
            case Position.AfterItem:
                return first == ',' ? Advance(at + 1, Position.Item) : Malformed(ref scanner, at);
            default:
                return Malformed(ref scanner, at);
        }
    }

    private int Advance(int at, Position next)
    {
        _next = next;
        return at;
    }

    private static int Malformed(ref JsonScanner scanner, int at) => scanner.Fail(JsonFault.Malformed, at);
}
