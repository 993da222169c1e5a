using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text.Json;
using System.Text.Unicode;
using Pipeline.Buffers;

namespace Messaging.Aws.Sqs.Wire;

/// <summary>
/// Reads a ReceiveMessage response in place: strings are unescaped in the buffer, once, and become slices. Allocates nothing.
/// </summary>
internal ref struct ReceiveResponseReader(ReceiveBatch batch, int generation, PooledBuffer response, bool verifyMd5)
{
    private readonly Memory<byte> _memory = response.WrittenMemory;
    private Utf8JsonReader _json = new(response.WrittenSpan);

    /// <summary>Entries that were skipped.</summary>
    public int Unusable { get; private set; }

    /// <summary>Fills <paramref name="messages"/>, which has the requested length.</summary>
    /// <returns>The number of messages.</returns>
    /// <exception cref="JsonException">The response is not a JSON object, or not a receive response.</exception>
    public int Read(Span<SqsMessage> messages)
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
                if (ReadMessage(count, out SqsMessage message) && count < messages.Length)
                {
                    messages[count++] = message;
                }
                else
                {
                    Unusable++;
                }
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

    private bool ReadMessage(int index, out SqsMessage message)
    {
        ReadOnlyMemory<byte> body = default;
        ReadOnlyMemory<byte> handle = default;
        ReadOnlyMemory<byte> id = default;
        ReadOnlyMemory<byte> md5 = default;
        ReadOnlyMemory<byte> attributes = default;
        SystemAttributes system = default;
        bool hasBody = false;
        while (NextProperty())
        {
            if (_json.IsText("Body"u8))
            {
                hasBody = ReadText(ref body);
            }
            else if (_json.IsText("ReceiptHandle"u8))
            {
                ReadText(ref handle);
            }
            else if (_json.IsText("MessageId"u8))
            {
                ReadText(ref id);
            }
            else if (_json.IsText("MD5OfBody"u8))
            {
                ReadText(ref md5);
            }
            else if (_json.IsText("Attributes"u8))
            {
                ReadSystemAttributes(ref system);
            }
            else if (_json.IsText("MessageAttributes"u8))
            {
                attributes = ReadRawObject();
            }
            else
            {
                _json.Read();
                _json.Skip();
            }
        }

        message = new SqsMessage(batch, generation, index)
        {
            Body = body,
            ReceiptHandle = handle,
            MessageId = id,
            Md5OfBody = md5,
            GroupId = system.GroupId,
            DeduplicationId = system.DeduplicationId,
            TraceHeader = system.TraceHeader,
            ReceiveCount = system.ReceiveCount,
            SentUnixMs = system.Sent,
            FirstReceiveUnixMs = system.FirstReceive,
            Attributes = new SqsMessageAttributes(attributes),
            Flags = Inspect(body.Span, md5.Span),
        };
        return hasBody && !handle.IsEmpty && !id.IsEmpty;
    }

    private void ReadSystemAttributes(ref SystemAttributes system)
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
                system.ReceiveCount = (int)Math.Clamp(ReadNumber(), 0, int.MaxValue);
            }
            else if (_json.IsText("SentTimestamp"u8))
            {
                system.Sent = ReadNumber();
            }
            else if (_json.IsText("ApproximateFirstReceiveTimestamp"u8))
            {
                system.FirstReceive = ReadNumber();
            }
            else if (_json.IsText("MessageGroupId"u8))
            {
                ReadText(ref system.GroupId);
            }
            else if (_json.IsText("MessageDeduplicationId"u8))
            {
                ReadText(ref system.DeduplicationId);
            }
            else if (_json.IsText("AWSTraceHeader"u8))
            {
                ReadText(ref system.TraceHeader);
            }
            else
            {
                _json.Read();
                _json.Skip();
            }
        }
    }

    private readonly SqsMessageFlags Inspect(ReadOnlySpan<byte> body, ReadOnlySpan<byte> md5)
    {
        SqsMessageFlags flags = Utf8.IsValid(body) ? SqsMessageFlags.None : SqsMessageFlags.InvalidText;
        if (!verifyMd5 || md5.IsEmpty)
        {
            return flags;
        }

        // The service sends MD5: a check against damage, not against forgery.
        Span<byte> hash = stackalloc byte[MD5.HashSizeInBytes];
        Span<byte> hex = stackalloc byte[MD5.HashSizeInBytes * 2];
        MD5.HashData(body, hash);
        Convert.TryToHexStringLower(hash, hex, out _);
        return md5.SequenceEqual(hex) ? flags : flags | SqsMessageFlags.Md5Mismatch;
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

    private bool ReadText(ref ReadOnlyMemory<byte> text)
    {
        _json.Read();
        if (_json.TokenType != JsonTokenType.String)
        {
            _json.Skip();
            return false;
        }

        // After the opening quote; the reader is past the string and never reads it again.
        Memory<byte> slice = _memory.Slice((int)_json.TokenStartIndex + 1, _json.ValueSpan.Length);
        text = _json.ValueIsEscaped ? slice[..WireText.UnescapeInPlace(slice.Span)] : slice;
        return true;
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

    private struct SystemAttributes
    {
        public int ReceiveCount;
        public long Sent;
        public long FirstReceive;
        public ReadOnlyMemory<byte> GroupId;
        public ReadOnlyMemory<byte> DeduplicationId;
        public ReadOnlyMemory<byte> TraceHeader;
    }
}
