using System.Text;
using System.Text.Json;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>The message attributes of one message, kept as JSON until they are read: most never are. Borrowed like the message.</summary>
internal readonly struct SqsMessageAttributes(ReadOnlyMemory<byte> json)
{
    /// <summary>True when the message has none.</summary>
    public bool IsEmpty => json.Length <= 2;

    /// <summary>Reads all attributes; allocates the list and its values, which may outlive the message.</summary>
    public IReadOnlyList<SqsMessageAttribute> ToList()
    {
        if (IsEmpty)
        {
            return [];
        }

        List<SqsMessageAttribute> list = [];
        Utf8JsonReader reader = new(json.Span);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            string name = WireText.ToString(reader.ValueSpan);
            reader.Read();
            if (reader.TokenType == JsonTokenType.StartObject)
            {
                list.Add(ReadOne(ref reader, name));
            }
            else
            {
                reader.Skip();
            }
        }

        return list;
    }

    /// <summary>The text of one attribute; null when it is missing or not text.</summary>
    public string? Find(string name)
    {
        // The service allows names of 256 characters.
        const int MaxBytes = 1_024;
        if (IsEmpty || name.Length > MaxBytes / 3)
        {
            return null;
        }

        Span<byte> utf8 = stackalloc byte[MaxBytes];
        return Find(utf8[..Encoding.UTF8.GetBytes(name, utf8)]);
    }

    /// <inheritdoc cref="Find(string)"/>
    public string? Find(ReadOnlySpan<byte> name)
    {
        if (IsEmpty)
        {
            return null;
        }

        Utf8JsonReader reader = new(json.Span);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            bool isWanted = reader.IsText(name);
            reader.Read();
            if (isWanted && reader.TokenType == JsonTokenType.StartObject)
            {
                return ReadOne(ref reader, string.Empty).StringValue;
            }

            reader.Skip();
        }

        return null;
    }

    private static SqsMessageAttribute ReadOne(ref Utf8JsonReader reader, string name)
    {
        string dataType = string.Empty;
        string? text = null;
        byte[]? binary = null;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            bool isType = reader.IsText("DataType"u8);
            bool isText = reader.IsText("StringValue"u8);
            bool isBinary = reader.IsText("BinaryValue"u8);
            reader.Read();
            if (reader.TokenType != JsonTokenType.String)
            {
                reader.Skip();
            }
            else if (isType)
            {
                dataType = WireText.ToString(reader.ValueSpan);
            }
            else if (isText)
            {
                text = WireText.ToString(reader.ValueSpan);
            }
            else if (isBinary)
            {
                binary = ReadBinary(reader) ?? binary;
            }
        }

        return new SqsMessageAttribute(name, dataType, text, binary);
    }

    private static byte[]? ReadBinary(scoped in Utf8JsonReader reader)
    {
        try
        {
            return reader.TryGetBytesFromBase64(out byte[]? bytes) ? bytes : null;
        }
        catch (InvalidOperationException)
        {
            // Half a surrogate pair, which is no base64.
            return null;
        }
    }
}

/// <summary>A message attribute with its own values: it may outlive the message. Lone surrogates are replaced by U+FFFD.</summary>
/// <param name="Name">The attribute's name.</param>
/// <param name="DataType"><c>String</c>, <c>Number</c> or <c>Binary</c>, maybe with a custom label after a dot.</param>
/// <param name="StringValue">The value of a string or number; null for binary.</param>
/// <param name="BinaryValue">The value of a binary; empty otherwise.</param>
internal sealed record SqsMessageAttribute(string Name, string DataType, string? StringValue, ReadOnlyMemory<byte> BinaryValue = default)
{
    /// <summary>Its share of <see cref="SqsLimits.MessageBytes"/>. The service counts "the name, type, value, and the message body".</summary>
    public int Bytes =>
        Encoding.UTF8.GetByteCount(Name) + Encoding.UTF8.GetByteCount(DataType)
            + (StringValue is { } text ? Encoding.UTF8.GetByteCount(text) : BinaryValue.Length);
}
