using System.Text.Json;

namespace Messaging.CloudFront.Elasticsearch.BulkResponses;

/// <summary>
/// Reads Elasticsearch's answer to a <c>_bulk</c> request from windows of any size and reports the items that failed; for the others
/// it allocates nothing. After <c>"errors":false</c> before the items none has failed: they are then counted, not parsed.
/// Threads: one at a time.
/// </summary>
/// <remarks>
/// Malformed are, besides what is not JSON: <c>errors</c> that is not true or false, <c>items</c> that is not an array, an item that is
/// not an object of one object, a status that is not a whole number from 100 to 599, any of these, an id or an error twice, no
/// <c>items</c> at all, a member or an item longer than <see cref="MaxMemberBytes"/>. Format: "Bulk API", Elasticsearch reference.
/// </remarks>
internal sealed class BulkResponseParser
{
    /// <summary>The longest item, or other member of the response, in bytes: a reason quotes a part of the document, some hundred bytes.</summary>
    public const int MaxMemberBytes = 64 * 1024;

    private JsonReaderState _state;
    private bool _itemsSeen;

    /// <summary>Items so far. Of a shortened response the properties named <c>status</c>: each item has one.</summary>
    public int Items { get; private set; }

    /// <summary>True when an item failed, false when none did; null until the response has said so.</summary>
    public bool? Errors { get; private set; }

    /// <summary>True when the response said <c>"errors":false</c> before its items.</summary>
    public bool IsShortened { get; private set; }

    /// <summary>Makes ready for the next response.</summary>
    public void Reset()
    {
        _state = default;
        _itemsSeen = false;
        Items = 0;
        Errors = null;
        IsShortened = false;
    }

    /// <summary>Reads on.</summary>
    /// <param name="window">What was not consumed of the window before, and what has come since.</param>
    /// <param name="isEnd">True when nothing follows.</param>
    /// <param name="items">Told of failed items.</param>
    /// <param name="consumed">Bytes that are done with; the next window begins after them.</param>
    public BulkParsing Read(ReadOnlySpan<byte> window, bool isEnd, IBulkItems items, out int consumed)
    {
        consumed = 0;
        if (!IsShortened)
        {
            // A member or an item that the window does not hold whole is read again from its beginning.
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
    /// Counts <c>"status":</c>, so that an answer that was cut, or is of another request, is noticed. Its second quote ends a string, since a
    /// letter precedes it; so every match is a property's name, and no text of an id or an index is mistaken for one.
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

    /// <summary>Reads a member of the response, one of its items, or a brace or bracket around them.</summary>
    /// <returns>False when the window does not hold it whole, or the response has ended.</returns>
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
            IsShortened = Errors is false && !_itemsSeen;
        }

        return reader.TrySkip();
    }

    /// <summary>Reads one item, <c>{"create":{…}}</c>, whatever its action.</summary>
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
                : reader.TrySkip();
        }

        return false;
    }

    private bool Report(in BulkItem item, IBulkItems items)
    {
        Require(item.Status != 0);
        if (item.Status >= 300 || item.HasError)
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

    /// <summary>Reads <c>{"type":"…","reason":"…",…}</c>; old servers sent a string, which then is the reason.</summary>
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
                : reader.TrySkip();
        }

        return false;
    }

    // A value that is not a string is no text: a reason may be null.
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

/// <summary>How far the reading of a bulk response has come.</summary>
internal enum BulkParsing
{
    /// <summary>Everything so far is right, and the end has not come.</summary>
    NeedsMore = 0,

    /// <summary>The response has ended as it should.</summary>
    Complete,

    /// <summary>Not JSON, not a bulk response, cut off, or beyond a bound: nothing that it said may be relied on.</summary>
    Malformed,
}
