using System.Buffers.Text;
using Messaging.Json;

namespace Messaging.CloudFront.Elasticsearch.BulkResponses;

/// <content>The members of the response, its items, their results and errors.</content>
internal sealed partial class BulkResponseParser
{
    // Objects and arrays open around a member of the response, of an item's result, and of its error.
    private const int MemberDepth = 1;
    private const int ResultDepth = 4;
    private const int ErrorDepth = 5;

    private int ReadMember(ref JsonScanner scanner, int at, ReadOnlySpan<byte> window)
    {
        at = scanner.ReadName(at, out JsonText name);
        if (at < 0)
        {
            return at;
        }

        ReadOnlySpan<byte> named = name.In(window);
        _next = Position.AfterMember;
        if (named.SequenceEqual("items"u8))
        {
            return ReadItems(ref scanner, at);
        }

        return named.SequenceEqual("errors"u8) ? ReadErrors(ref scanner, at) : scanner.SkipValue(at, MemberDepth);
    }

    private int ReadItems(ref JsonScanner scanner, int at)
    {
        if (_itemsSeen || scanner.Peek(at) != '[')
        {
            return Malformed(ref scanner, at);
        }

        _itemsSeen = true;
        return Advance(at + 1, Position.FirstItem);
    }

    private int ReadErrors(ref JsonScanner scanner, int at)
    {
        byte first = scanner.Peek(at);
        int end = Errors is null && first is (byte)'t' or (byte)'f' ? scanner.SkipValue(at, MemberDepth) : Malformed(ref scanner, at);
        if (end >= 0)
        {
            Errors = first == 't';
            _next = first == 'f' && !_itemsSeen ? Position.Shortened : Position.AfterMember;
        }

        return end;
    }

    /// <summary>Reads one item, <c>{"create":{…}}</c>, whatever its action.</summary>
    private int ReadItem(ref JsonScanner scanner, int at, ReadOnlySpan<byte> window, IBulkItems items)
    {
        if (window[at] != '{')
        {
            return Malformed(ref scanner, at);
        }

        at = scanner.ReadName(scanner.EnterObject(at), out _);
        BulkResult result = default;
        at = at < 0 ? at : ReadResult(ref scanner, at, window, ref result);
        if (at < 0)
        {
            return at;
        }

        at = scanner.SkipBlanks(at);
        if (result.Status == 0 || scanner.Peek(at) != '}')
        {
            return Malformed(ref scanner, at);
        }

        if (result.Status >= 300 || result.HasError)
        {
            items.Failed(new BulkItem(window, Items, result));
        }

        Items++;
        return Advance(at + 1, Position.AfterItem);
    }

    private static int ReadResult(ref JsonScanner scanner, int at, ReadOnlySpan<byte> window, ref BulkResult result)
    {
        at = EnterMembers(ref scanner, at, out bool more);
        while (more)
        {
            at = scanner.ReadName(at, out JsonText name);
            if (at < 0)
            {
                return at;
            }

            ReadOnlySpan<byte> named = name.In(window);
            at = named.SequenceEqual("status"u8) ? ReadStatus(ref scanner, at, window, ref result)
                : named.SequenceEqual("_id"u8) ? ReadId(ref scanner, at, ref result)
                : named.SequenceEqual("error"u8) ? ReadError(ref scanner, at, window, ref result)
                : scanner.SkipValue(at, ResultDepth);
            at = LeaveMember(ref scanner, at, out more);
        }

        return at;
    }

    private static int ReadStatus(ref JsonScanner scanner, int at, ReadOnlySpan<byte> window, ref BulkResult result)
    {
        int end = scanner.SkipValue(at, ResultDepth);
        if (end < 0)
        {
            return end;
        }

        bool isStatus = Utf8Parser.TryParse(window[at..end], out int status, out int consumed) && consumed == end - at && status is >= 100 and <= 599;
        if (!isStatus || result.Status != 0)
        {
            return Malformed(ref scanner, at);
        }

        result.Status = status;
        return end;
    }

    private static int ReadId(ref JsonScanner scanner, int at, ref BulkResult result)
    {
        if (result.HasId)
        {
            return Malformed(ref scanner, at);
        }

        result.HasId = true;
        return ReadText(ref scanner, at, ResultDepth, ref result.Id);
    }

    /// <summary>Reads <c>{"type":"…","reason":"…",…}</c>; old servers sent a string, which then is the reason.</summary>
    private static int ReadError(ref JsonScanner scanner, int at, ReadOnlySpan<byte> window, ref BulkResult result)
    {
        if (result.HasError)
        {
            return Malformed(ref scanner, at);
        }

        result.HasError = true;
        if (scanner.Peek(at) != '{')
        {
            return ReadText(ref scanner, at, ResultDepth, ref result.Reason);
        }

        at = EnterMembers(ref scanner, at, out bool more);
        while (more)
        {
            at = scanner.ReadName(at, out JsonText name);
            if (at < 0)
            {
                return at;
            }

            ReadOnlySpan<byte> named = name.In(window);
            at = named.SequenceEqual("type"u8) ? ReadText(ref scanner, at, ErrorDepth, ref result.Type)
                : named.SequenceEqual("reason"u8) ? ReadText(ref scanner, at, ErrorDepth, ref result.Reason)
                : scanner.SkipValue(at, ErrorDepth);
            at = LeaveMember(ref scanner, at, out more);
        }

        return at;
    }

    // What is no string is no text: a reason may be null.
    private static int ReadText(ref JsonScanner scanner, int at, int depth, ref JsonText? text)
    {
        if (scanner.Peek(at) != '"')
        {
            return scanner.SkipValue(at, depth);
        }

        at = scanner.ReadString(at, out JsonText read);
        text = read;
        return at;
    }

    /// <summary>Steps over an object's opening brace to its first name, or over the object when it is empty.</summary>
    private static int EnterMembers(ref JsonScanner scanner, int at, out bool more)
    {
        more = false;
        if (scanner.Peek(at) != '{')
        {
            return Malformed(ref scanner, at);
        }

        at = scanner.EnterObject(at);
        more = scanner.Peek(at) != '}';
        return more ? at : at + 1;
    }

    /// <summary>Steps from the end of a member to the name of the next, or over the brace behind the last.</summary>
    private static int LeaveMember(ref JsonScanner scanner, int at, out bool more)
    {
        more = false;
        if (at < 0)
        {
            return at;
        }

        at = scanner.SkipBlanks(at);
        switch (scanner.Peek(at))
        {
            case (byte)',':
                more = true;
                return scanner.SkipBlanks(at + 1);
            case (byte)'}':
                return at + 1;
            default:
                return Malformed(ref scanner, at);
        }
    }
}
