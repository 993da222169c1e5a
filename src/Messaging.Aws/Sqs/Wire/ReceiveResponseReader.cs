using System.Buffers.Text;
using System.Text.Json;
using Quayside.Messaging.Json;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>
/// Reads a ReceiveMessage response in place: strings are unescaped in the buffer, once, and become slices. Allocates nothing.
/// </summary>
internal ref struct ReceiveResponseReader(ReceiveBatch batch, PooledBuffer response)
{
    private readonly Memory<byte> _memory = response.WrittenMemory;
    private JsonScanner _json = new(response.WrittenSpan, rejectLoneSurrogates: false);
    private int _at;

    /// <summary>Entries that were skipped.</summary>
    public int Unusable { get; private set; }

    /// <summary>Fills <paramref name="messages"/>, which has the requested length.</summary>
    /// <returns>The number of messages.</returns>
    /// <exception cref="JsonException">The response is not a JSON object, or not a receive response.</exception>
    public int Read(ReadOnlySpan<SqsReceivedMessage> messages)
    {
        int count = 0;
        _at = _json.SkipBlanks(0);
        if (_json.Peek(_at) != '{')
        {
            throw new JsonException("The response is not a JSON object.");
        }

        for (bool isInside = Enter('{'); isInside; isInside = Next('}'))
        {
            if (!ReadName().Is(_json.Json, "Messages"u8) || _json.Peek(_at) == 'n')
            {
                Skip();
                continue;
            }

            if (_json.Peek(_at) != '[')
            {
                throw new JsonException("\"Messages\" is not an array.");
            }

            count = ReadMessages(messages, count);
        }

        _at = _json.SkipBlanks(_at);
        return _at == _json.Json.Length ? count : throw new JsonException($"The response does not end with its object: byte {_at}.");
    }

    private int ReadMessages(ReadOnlySpan<SqsReceivedMessage> messages, int count)
    {
        for (bool isInside = Enter('['); isInside; isInside = Next(']'))
        {
            if (_json.Peek(_at) != '{')
            {
                throw new JsonException("\"Messages\" holds something that is not an object.");
            }

            if (count == messages.Length)
            {
                Skip();
                Unusable++;
            }
            else if (ReadMessage(messages[count]))
            {
                count++;
            }
            else
            {
                Unusable++;
            }
        }

        return count;
    }

    /// <returns>False for an entry that cannot be used; the message is then clean.</returns>
    private bool ReadMessage(SqsReceivedMessage message)
    {
        ReadOnlyMemory<byte>? body = null;
        ReadOnlyMemory<byte> handle = default;
        ReadOnlyMemory<byte> id = default;
        for (bool isInside = Enter('{'); isInside; isInside = Next('}'))
        {
            JsonText name = ReadName();
            if (name.Is(_json.Json, "Body"u8))
            {
                body = ReadText();
            }
            else if (name.Is(_json.Json, "ReceiptHandle"u8))
            {
                handle = ReadText() ?? handle;
            }
            else if (name.Is(_json.Json, "MessageId"u8))
            {
                id = ReadText() ?? id;
            }
            else if (name.Is(_json.Json, "Attributes"u8) && _json.Peek(_at) == '{')
            {
                ReadSystemAttributes(message);
            }
            else if (name.Is(_json.Json, "MessageAttributes"u8))
            {
                bool isObject = _json.Peek(_at) == '{';
                ReadOnlyMemory<byte> attributes = Skip();
                message.MessageAttributes = new SqsMessageAttributes(isObject ? attributes : default);
            }
            else
            {
                Skip();
            }
        }

        if (body is null || handle.IsEmpty || id.IsEmpty)
        {
            message.Reset();
            return false;
        }

        message.Open(batch, body.Value, id.Span, handle.Span);
        return true;
    }

    private void ReadSystemAttributes(SqsReceivedMessage message)
    {
        for (bool isInside = Enter('{'); isInside; isInside = Next('}'))
        {
            JsonText name = ReadName();
            if (name.Is(_json.Json, "ApproximateReceiveCount"u8))
            {
                message.ReceiveCount = (int)Math.Clamp(ReadNumber(), 0, int.MaxValue);
            }
            else if (name.Is(_json.Json, "SentTimestamp"u8))
            {
                message.SentUnixMs = ReadNumber();
            }
            else if (name.Is(_json.Json, "ApproximateFirstReceiveTimestamp"u8))
            {
                message.FirstReceiveUnixMs = ReadNumber();
            }
            else if (name.Is(_json.Json, "MessageGroupId"u8))
            {
                message.GroupId = ReadText() ?? message.GroupId;
            }
            else if (name.Is(_json.Json, "MessageDeduplicationId"u8))
            {
                message.Deduplication = ReadText() ?? message.Deduplication;
            }
            else if (name.Is(_json.Json, "AWSTraceHeader"u8))
            {
                message.TraceHeader = ReadText() ?? message.TraceHeader;
            }
            else
            {
                Skip();
            }
        }
    }

    /// <returns>Whether it has a name or an element.</returns>
    private bool Enter(char open)
    {
        _at = Valid(_json.Enter(_at, open, out bool isEnd));
        return !isEnd;
    }

    /// <returns>Whether there is another name or element.</returns>
    private bool Next(char close)
    {
        _at = Valid(_json.Next(_at, close, out bool isEnd));
        return !isEnd;
    }

    private JsonText ReadName()
    {
        _at = Valid(_json.ReadName(_at, out JsonText name));
        return name;
    }

    /// <returns>The value's JSON.</returns>
    private ReadOnlyMemory<byte> Skip()
    {
        int start = _at;
        _at = Valid(_json.SkipValue(_at, depth: 1));
        return _memory[start.._at];
    }

    /// <returns>Null for a value that is not a string.</returns>
    private ReadOnlyMemory<byte>? ReadText()
    {
        if (_json.Peek(_at) != '"')
        {
            Skip();
            return null;
        }

        _at = Valid(_json.ReadString(_at, out JsonText text));

        // The scanner is past the string and never reads it again.
        Memory<byte> slice = _memory.Slice(text.Start, text.Length);
        return text.HasEscapes ? slice[..JsonEscapes.UnescapeInPlace(slice.Span)] : slice;
    }

    private long ReadNumber()
    {
        ReadOnlySpan<byte> text = _json.Peek(_at) == '"' ? ReadText()!.Value.Span : Skip().Span;
        return Utf8Parser.TryParse(text, out long value, out int consumed) && consumed == text.Length ? value : 0;
    }

    private readonly int Valid(int at) =>
        at >= 0
            ? at
            : throw new JsonException($"The response is not JSON: byte {_json.FailedAt}{(_json.Failure == JsonFault.TooDeep ? ", nested too deep" : "")}.");
}
