using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text.Json;
using Pipeline.Buffers;

namespace Messaging.Aws.Sqs.Wire;

/// <summary>
/// Reads a ReceiveMessage response in place: strings are unescaped in the buffer, once, and become slices. Allocates nothing.
/// </summary>
internal ref struct ReceiveResponseReader(ReceiveBatch batch, PooledBuffer response, bool verifyMd5)
{
    private readonly Memory<byte> _memory = response.WrittenMemory;
    private Utf8JsonReader _json = new(response.WrittenSpan);

    /// <summary>Entries that were skipped.</summary>
    public int Unusable { get; private set; }

    /// <summary>Fills <paramref name="messages"/>, which has the requested length.</summary>
    /// <returns>The number of messages.</returns>
    /// <exception cref="JsonException">The response is not a JSON object, or not a receive response.</exception>
    public int Read(ReadOnlySpan<SqsReceivedMessage> messages)
    {
        int count = 0;
        Expect(JsonTokenType.StartObject);
        while (NextProperty())
        {
            bool isMessages = _json.IsText("Messages"u8);
            _json.Read();
            if (!isMessages || _json.TokenType == JsonTokenType.Null)
            {
                _json.Skip();
                continue;
            }

            if (_json.TokenType != JsonTokenType.StartArray)
            {
                throw new JsonException("\"Messages\" is not an array.");
            }

            while (_json.Read() && _json.TokenType == JsonTokenType.StartObject)
            {
                if (count < messages.Length && ReadMessage(messages[count]))
                {
                    count++;
                    continue;
                }

                // At the end of an entry that was read: then this does nothing.
                _json.Skip();
                Unusable++;
            }

            if (_json.TokenType != JsonTokenType.EndArray)
            {
                throw new JsonException("\"Messages\" holds something that is not an object.");
            }
        }

        // Throws if anything follows the object.
        _json.Read();
        return count;
    }

    /// <returns>False for an entry that cannot be used; the message is then clean.</returns>
    private bool ReadMessage(SqsReceivedMessage message)
    {
        ReadOnlyMemory<byte>? body = null;
        ReadOnlyMemory<byte> handle = default;
        ReadOnlyMemory<byte> id = default;
        ReadOnlyMemory<byte> md5 = default;
        while (NextProperty())
        {
            if (_json.IsText("Body"u8))
            {
                body = ReadText();
            }
            else if (_json.IsText("ReceiptHandle"u8))
            {
                handle = ReadText() ?? handle;
            }
            else if (_json.IsText("MessageId"u8))
            {
                id = ReadText() ?? id;
            }
            else if (_json.IsText("MD5OfBody"u8))
            {
                md5 = ReadText() ?? md5;
            }
            else if (_json.IsText("Attributes"u8))
            {
                ReadSystemAttributes(message);
            }
            else if (_json.IsText("MessageAttributes"u8))
            {
                message.MessageAttributes = new SqsMessageAttributes(ReadRawObject());
            }
            else
            {
                _json.Read();
                _json.Skip();
            }
        }

        if (body is null || handle.IsEmpty || id.IsEmpty)
        {
            message.Reset();
            return false;
        }

        message.Open(batch, body.Value, id.Span, handle.Span);
        message.IsDamaged = verifyMd5 && !md5.IsEmpty && !IsMd5(body.Value.Span, md5.Span);
        return true;
    }

    private void ReadSystemAttributes(SqsReceivedMessage message)
    {
        _json.Read();
        if (_json.TokenType != JsonTokenType.StartObject)
        {
            _json.Skip();
            return;
        }

        while (NextProperty())
        {
            if (_json.IsText("ApproximateReceiveCount"u8))
            {
                message.ReceiveCount = (int)Math.Clamp(ReadNumber(), 0, int.MaxValue);
            }
            else if (_json.IsText("SentTimestamp"u8))
            {
                message.SentUnixMs = ReadNumber();
            }
            else if (_json.IsText("ApproximateFirstReceiveTimestamp"u8))
            {
                message.FirstReceiveUnixMs = ReadNumber();
            }
            else if (_json.IsText("MessageGroupId"u8))
            {
                message.GroupId = ReadText() ?? message.GroupId;
            }
            else if (_json.IsText("MessageDeduplicationId"u8))
            {
                message.Deduplication = ReadText() ?? message.Deduplication;
            }
            else if (_json.IsText("AWSTraceHeader"u8))
            {
                message.TraceHeader = ReadText() ?? message.TraceHeader;
            }
            else
            {
                _json.Read();
                _json.Skip();
            }
        }
    }

    // The service sends MD5: a check against damage, not against forgery.
    private static bool IsMd5(ReadOnlySpan<byte> body, ReadOnlySpan<byte> md5)
    {
        Span<byte> hash = stackalloc byte[MD5.HashSizeInBytes];
        Span<byte> hex = stackalloc byte[MD5.HashSizeInBytes * 2];
        MD5.HashData(body, hash);
        Convert.TryToHexStringLower(hash, hex, out _);
        return md5.SequenceEqual(hex);
    }

    /// <summary>Moves to the next property's name; false at the object's end.</summary>
    private bool NextProperty() => _json.Read() && _json.TokenType == JsonTokenType.PropertyName;

    private void Expect(JsonTokenType type)
    {
        if (!_json.Read() || _json.TokenType != type)
        {
            throw new JsonException("The response is not a JSON object.");
        }
    }

    /// <returns>Null for a value that is not a string.</returns>
    private ReadOnlyMemory<byte>? ReadText()
    {
        _json.Read();
        if (_json.TokenType != JsonTokenType.String)
        {
            _json.Skip();
            return null;
        }

        // After the opening quote; the reader is past the string and never reads it again.
        Memory<byte> slice = _memory.Slice((int)_json.TokenStartIndex + 1, _json.ValueSpan.Length);
        return _json.ValueIsEscaped ? slice[..WireText.UnescapeInPlace(slice.Span)] : slice;
    }

    private long ReadNumber()
    {
        _json.Read();
        if (_json.TokenType is JsonTokenType.String or JsonTokenType.Number)
        {
            return Utf8Parser.TryParse(_json.ValueSpan, out long value, out int consumed) && consumed == _json.ValueSpan.Length ? value : 0;
        }

        _json.Skip();
        return 0;
    }

    private ReadOnlyMemory<byte> ReadRawObject()
    {
        _json.Read();
        int start = (int)_json.TokenStartIndex;
        bool isObject = _json.TokenType == JsonTokenType.StartObject;
        _json.Skip();
        return isObject ? _memory[start..(int)_json.BytesConsumed] : default;
    }
}
