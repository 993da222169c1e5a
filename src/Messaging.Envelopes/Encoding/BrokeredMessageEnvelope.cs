using System.Buffers.Binary;
using System.Globalization;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Envelopes.Encoding;

/// <summary>
/// The body that .NET Framework's <c>BrokeredMessage(string)</c> or <c>BrokeredMessage(byte[])</c> sent: the binary XML of DataContractSerializer, one
/// element with the text or the bytes (MS-NBFX). Bodies of classes have no form that another program could read, and are refused.
/// </summary>
internal sealed class BrokeredMessageEnvelope : IEnvelope
{
    public const string NotBrokeredMessageReason = "not-a-brokered-message";
    public const string DamagedReason = "brokered-message-damaged";

    // Records; those of texts are odd where the element ends with them.
    private const byte EndElement = 0x01;
    private const byte ZeroText = 0x80;
    private const byte OneText = 0x82;
    private const byte Chars8Text = 0x98;
    private const byte Chars32Text = 0x9C;
    private const byte Bytes8Text = 0x9E;
    private const byte Bytes32Text = 0xA2;
    private const byte EmptyText = 0xA8;
    private const byte Unicode8Text = 0xB6;
    private const byte Unicode32Text = 0xBA;

    private static ReadOnlySpan<byte> StringElement => "@\u0006string\u00083http://schemas.microsoft.com/2003/10/Serialization/"u8;

    private static ReadOnlySpan<byte> BytesElement => "@\u000C"u8 + "base64Binary\u00083http://schemas.microsoft.com/2003/10/Serialization/"u8;

    /// <summary>True for the beginning of such a body.</summary>
    public static bool IsMarked(ReadOnlySpan<byte> body) => body.StartsWith(StringElement) || body.StartsWith(BytesElement);

    public ValueTask UnwrapAsync(WrappedMessage message, CancellationToken cancellationToken)
    {
        Unwrap(message);
        return default;
    }

    private static void Unwrap(WrappedMessage message)
    {
        ReadOnlySpan<byte> body = message.Body.Span;
        if (!IsMarked(body))
        {
            message.RefuseUnrecognized(NotBrokeredMessageReason, "The body does not begin with the element string or base64Binary of DataContractSerializer's binary XML: byte 0.");
            return;
        }

        bool isString = body.StartsWith(StringElement);
        int at = isString ? StringElement.Length : BytesElement.Length;
        ReadOnlyMemory<byte> first = default;
        int pieces = 0;
        while (TryReadText(body, isString, ref at, out ReadOnlyMemory<byte> piece, out bool isLast, message.Body))
        {
            // Long texts come in pieces; most come in one, which needs no copy.
            if (pieces == 1)
            {
                message.Buffer.Append(first.Span);
            }

            if (pieces++ == 0)
            {
                first = piece;
            }
            else
            {
                message.Buffer.Append(piece.Span);
            }

            if (isLast && at == body.Length)
            {
                message.SetContent(pieces == 1 ? first : message.Buffer.WrittenMemory);
                return;
            }

            if (isLast)
            {
                break;
            }
        }

        message.Refuse(DamagedReason, string.Create(CultureInfo.InvariantCulture, $"The binary XML is damaged, or cut off, at byte {at} of {body.Length}."));
    }

    /// <returns>False when no text follows at <paramref name="at"/>, which then stays.</returns>
    private static bool TryReadText(ReadOnlySpan<byte> body, bool isString, ref int at, out ReadOnlyMemory<byte> text, out bool isLast, ReadOnlyMemory<byte> memory)
    {
        text = default;
        isLast = true;
        if (at >= body.Length)
        {
            return false;
        }

        byte record = body[at];
        if (record == EndElement)
        {
            at++;
            return true;
        }

        isLast = (record & 1) != 0;
        byte kind = (byte)(record & ~1);
        if (kind == EmptyText)
        {
            at++;
            return true;
        }

        if (isString && kind is ZeroText or OneText)
        {
            text = kind == ZeroText ? "0"u8.ToArray() : "1"u8.ToArray();
            at++;
            return true;
        }

        // The writer chooses UTF-16 for a text that is shorter in it.
        bool isUtf16 = isString && kind is >= Unicode8Text and <= Unicode32Text;
        (byte from, byte to) = isUtf16 ? (Unicode8Text, Unicode32Text) : isString ? (Chars8Text, Chars32Text) : (Bytes8Text, Bytes32Text);
        if (kind < from || kind > to)
        {
            return false;
        }

        int width = 1 << ((kind - from) / 2);
        if (body.Length - at - 1 < width)
        {
            return false;
        }

        ReadOnlySpan<byte> digits = body[(at + 1)..];
        uint length = width switch
        {
            1 => digits[0],
            2 => BinaryPrimitives.ReadUInt16LittleEndian(digits),
            _ => BinaryPrimitives.ReadUInt32LittleEndian(digits),
        };
        if (length > body.Length - at - 1 - width || (isUtf16 && length % sizeof(char) != 0))
        {
            return false;
        }

        text = memory.Slice(at + 1 + width, (int)length);
        if (isUtf16)
        {
            text = System.Text.Encoding.Convert(System.Text.Encoding.Unicode, System.Text.Encoding.UTF8, text.ToArray());
        }

        at += 1 + width + (int)length;
        return true;
    }
}
