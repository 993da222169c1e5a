using System.Text.Json;

namespace Quayside.Messaging.Elasticsearch.BulkResponses;

/// <summary>
/// Reads Elasticsearch's response to a <c>_bulk</c> request from windows of any size and reports the failed items. It allocates nothing
/// for the others. When <c>"errors":false</c> precedes the items, none has failed, and they are counted instead of parsed.
/// Threads: one at a time.
/// </summary>
/// <param name="parsesAll">True to parse the items of every response.</param>
/// <remarks>
/// A response is malformed when it is not JSON or has no <c>items</c>. So is one in which <c>errors</c> is not true or false, <c>items</c>
/// is not an array, an item is not an object of one object, or a status is not a whole number from 100 to 599. It is malformed too when
/// one of these, an id or an error occurs twice, or when a member or an item is longer than <see cref="MaxMemberBytes"/>. Format: "Bulk
/// API", Elasticsearch reference.
/// </remarks>
internal sealed class BulkResponseParser(bool parsesAll = false)
{
    /// <summary>Maximum bytes of an item or of another member of the response. A reason quotes part of the document, a few hundred bytes.</summary>
    public const int MaxMemberBytes = 64 * 1024;

    private JsonReaderState _state;
    private bool _itemsSeen;

    /// <summary>Items so far. In a shortened response this counts the properties named <c>status</c>, one per item.</summary>
    public int Items { get; private set; }

    /// <summary>The value of <c>errors</c>: true when an item failed; null until it is read.</summary>
    public bool? Errors { get; private set; }

    /// <summary>True when <c>"errors":false</c> preceded the items, which are then counted instead of parsed.</summary>
    public bool IsShortened { get; private set; }

    /// <summary>True for a shortened response with a document in a failure store: which one, only parsing shows.</summary>
    public bool HidesFailures { get; private set; }

    /// <summary>Prepares for the next response.</summary>
    public void Reset()
    {
        _state = default;
        _itemsSeen = false;
        Items = 0;
        Errors = null;
        IsShortened = false;
        HidesFailures = false;
    }

    /// <summary>Reads the next window.</summary>
    /// <param name="window">The bytes of the previous window that were not consumed, and the new bytes.</param>
    /// <param name="isEnd">True for the last window.</param>
    /// <param name="items">Receives the failed items.</param>
    /// <param name="consumed">Bytes consumed; the next window begins after them.</param>
    public BulkParsing Read(ReadOnlySpan<byte> window, bool isEnd, IBulkItems items, out int consumed)
    {
        consumed = 0;
        if (!IsShortened)
        {
            // A member or an item that the window cuts off is read again from its beginning.
            Utf8JsonReader whole = new(window, isEnd, _state);
            try
            {
                for (Utf8JsonReader reader = whole; !IsShortened && ReadNext(ref reader, window, items); whole = reader)
                {
                    Require(reader.BytesConsumed - whole.BytesConsumed <= MaxMemberBytes);
                }
            }
            catch (JsonException)
            {
                return BulkParsing.Malformed;
            }

            _state = whole.CurrentState;
            consumed = (int)whole.BytesConsumed;
        }

        return IsShortened ? Count(window, isEnd, ref consumed)
            : isEnd ? BulkParsing.Complete
            : window.Length - consumed > MaxMemberBytes ? BulkParsing.Malformed
            : BulkParsing.NeedsMore;
    }

    /// <summary>
    /// Counts <c>"status":</c>, to detect a response that is truncated or belongs to another request. The second quote of a match ends a
    /// string, because a letter precedes it, and a colon follows. So every match is a property's name, never the text of an id or an index.
    /// <c>failure_store</c> with a text is looked for in the same way.
    /// </summary>
    private BulkParsing Count(ReadOnlySpan<byte> window, bool isEnd, ref int consumed)
    {
        ReadOnlySpan<byte> status = "\"status\":"u8;
        ReadOnlySpan<byte> rest = window[consumed..];
        Items += rest.Count(status);
        HidesFailures |= rest.IndexOf("_store\":\""u8) >= 0;
        if (!isEnd)
        {
            // The window may end within a match. The bytes kept for the next window are too few for a match that was already counted. Both
            // texts have the same length.
            consumed = Math.Max(consumed, window.Length - status.Length + 1);
            return BulkParsing.NeedsMore;
        }

        consumed = window.Length;
        return rest.TrimEnd(" \t\r\n"u8) is [.., (byte)'}'] ? BulkParsing.Complete : BulkParsing.Malformed;
    }

    /// <summary>Reads a member of the response, an item, or a brace or bracket around them.</summary>
    /// <returns>False when the window ends before it does, or the response has ended.</returns>
    /// <exception cref="JsonException">The response is malformed.</exception>
    private bool ReadNext(ref Utf8JsonReader reader, ReadOnlySpan<byte> window, IBulkItems items)
    {
        if (!reader.Read())
        {
            return false;
        }

        switch (reader.TokenType)
        {
            case JsonTokenType.StartObject when reader.CurrentDepth == 0:
            case JsonTokenType.EndArray:
                return true;
            case JsonTokenType.EndObject:
                Require(_itemsSeen);
                return true;
            case JsonTokenType.PropertyName:
                return ReadMember(ref reader);
            default:
                Require(reader.TokenType == JsonTokenType.StartObject);
                return ReadItem(ref reader, window, items);
        }
    }

    private bool ReadMember(ref Utf8JsonReader reader)
    {
        bool isItems = BulkItem.IsText(reader, "items"u8);
        bool isErrors = BulkItem.IsText(reader, "errors"u8);
        if (!reader.Read())
        {
            return false;
        }

        if (isItems)
        {
            Require(!_itemsSeen && reader.TokenType == JsonTokenType.StartArray);
            _itemsSeen = true;
            return true;
        }

        if (isErrors)
        {
            Require(Errors is null && reader.TokenType is JsonTokenType.True or JsonTokenType.False);
            Errors = reader.GetBoolean();
            IsShortened = Errors is false && !_itemsSeen && !parsesAll;
        }

        return reader.TrySkip();
    }

    /// <summary>Reads one item, such as <c>{"create":{…}}</c>; its action may be any.</summary>
    private bool ReadItem(ref Utf8JsonReader reader, ReadOnlySpan<byte> window, IBulkItems items)
    {
        BulkItem item = new() { Index = Items };
        if (!Read(ref reader, JsonTokenType.PropertyName) || !Read(ref reader, JsonTokenType.StartObject))
        {
            return false;
        }

        bool read = true;
        while (read && reader.Read())
        {
            if (reader.TokenType == JsonTokenType.EndObject)
            {
                return Read(ref reader, JsonTokenType.EndObject) && Report(item, items);
            }

            read = BulkItem.IsText(reader, "status"u8) ? ReadStatus(ref reader, ref item)
                : BulkItem.IsText(reader, "_id"u8) ? reader.Read() && TakeText(ref reader, window, ref item.Id)
                : BulkItem.IsText(reader, "error"u8) ? ReadError(ref reader, window, ref item)
                : BulkItem.IsText(reader, "failure_store"u8) ? reader.Read() && TakeFailureStore(ref reader, ref item)
                : reader.TrySkip();
        }

        return false;
    }

    private bool Report(in BulkItem item, IBulkItems items)
    {
        Require(item.Status != 0);
        if (item.Status >= 300 || item.HasError || item.IsSetAside)
        {
            items.Failed(item);
        }

        Items++;
        return true;
    }

    private static bool ReadStatus(ref Utf8JsonReader reader, ref BulkItem item)
    {
        Require(item.Status == 0);
        bool read = Read(ref reader, JsonTokenType.Number);
        Require(!read || (reader.TryGetInt32(out item.Status) && item.Status is >= 100 and <= 599));
        return read;
    }

    /// <summary>Reads <c>{"type":"…","reason":"…",…}</c>; old servers sent a string, which becomes the reason.</summary>
    private static bool ReadError(ref Utf8JsonReader reader, ReadOnlySpan<byte> window, ref BulkItem item)
    {
        Require(!item.HasError);
        item.HasError = true;
        bool read = reader.Read();
        if (read && reader.TokenType != JsonTokenType.StartObject)
        {
            return TakeText(ref reader, window, ref item.Reason);
        }

        while (read && reader.Read())
        {
            if (reader.TokenType == JsonTokenType.EndObject)
            {
                return true;
            }

            read = BulkItem.IsText(reader, "type"u8) ? reader.Read() && TakeText(ref reader, window, ref item.Type)
                : BulkItem.IsText(reader, "reason"u8) ? reader.Read() && TakeText(ref reader, window, ref item.Reason)
                : BulkItem.IsText(reader, "caused_by"u8) ? ReadCause(ref reader, window, ref item)
                : reader.TrySkip();
        }

        return false;
    }

    /// <summary>Reads the reason of <c>"caused_by":{"type":"…","reason":"…",…}</c>.</summary>
    private static bool ReadCause(ref Utf8JsonReader reader, ReadOnlySpan<byte> window, ref BulkItem item)
    {
        bool read = reader.Read();
        if (read && reader.TokenType != JsonTokenType.StartObject)
        {
            return reader.TrySkip();
        }

        while (read && reader.Read())
        {
            if (reader.TokenType == JsonTokenType.EndObject)
            {
                return true;
            }

            bool isReason = BulkItem.IsText(reader, "reason"u8);
            read = reader.Read();
            if (read && isReason && reader.TokenType == JsonTokenType.String)
            {
                item.CauseReason = window[(int)reader.TokenStartIndex..(int)reader.BytesConsumed];
            }

            read = read && reader.TrySkip();
        }

        return false;
    }

    // The other texts say that it was not used, or that it failed too: the item then has an error.
    private static bool TakeFailureStore(ref Utf8JsonReader reader, ref BulkItem item)
    {
        item.IsSetAside |= reader.TokenType == JsonTokenType.String && BulkItem.IsText(reader, "used"u8);
        return reader.TrySkip();
    }

    // A value that is not a string is ignored: a reason may be null.
    private static bool TakeText(ref Utf8JsonReader reader, ReadOnlySpan<byte> window, ref ReadOnlySpan<byte> text)
    {
        Require(text.IsEmpty);
        text = reader.TokenType == JsonTokenType.String ? window[(int)reader.TokenStartIndex..(int)reader.BytesConsumed] : default;
        return reader.TrySkip();
    }

    private static bool Read(ref Utf8JsonReader reader, JsonTokenType expected)
    {
        bool read = reader.Read();
        Require(!read || reader.TokenType == expected);
        return read;
    }

    private static void Require(bool condition)
    {
        if (!condition)
        {
            throw new JsonException("Not a bulk response.");
        }
    }
}

/// <summary>The state of reading a bulk response.</summary>
internal enum BulkParsing
{
    /// <summary>Valid so far, and not at its end.</summary>
    NeedsMore = 0,

    /// <summary>The response is complete and valid.</summary>
    Complete,

    /// <summary>Not JSON, not a bulk response, truncated, or beyond a limit: nothing that was read may be used.</summary>
    Malformed,
}
