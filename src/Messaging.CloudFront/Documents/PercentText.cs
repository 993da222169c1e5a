namespace Quayside.Messaging.CloudFront.Documents;

/// <summary>Percent-encoding (RFC 3986, section 2.1), which CloudFront applies to some of the values it logs.</summary>
internal static class PercentText
{
    /// <summary>Decodes once: <c>%2520</c> becomes <c>%20</c>. A percent sign without two hexadecimal digits stays unchanged.</summary>
    /// <param name="text">Any bytes.</param>
    /// <param name="target">At least as long as <paramref name="text"/>.</param>
    /// <returns>Bytes written; they need not be UTF-8.</returns>
    public static int Decode(ReadOnlySpan<byte> text, Span<byte> target)
    {
        int written = 0;
        while (true)
        {
            int at = text.IndexOf((byte)'%');
            ReadOnlySpan<byte> asItIs = at < 0 ? text : text[..at];
            asItIs.CopyTo(target[written..]);
            written += asItIs.Length;
            if (at < 0)
            {
                return written;
            }

            text = text[at..];
            int used = DecodeOne(text, out target[written++]);
            text = text[used..];
        }
    }

    private static int DecodeOne(ReadOnlySpan<byte> text, out byte value)
    {
        value = (byte)'%';
        if (text.Length < 3)
        {
            return 1;
        }

        int high = DigitOf(text[1]);
        int low = DigitOf(text[2]);
        if (high < 0 || low < 0)
        {
            return 1;
        }

        value = (byte)((high << 4) | low);
        return 3;
    }

    private static int DigitOf(byte value) => value switch
    {
        >= (byte)'0' and <= (byte)'9' => value - '0',
        >= (byte)'a' and <= (byte)'f' => value - 'a' + 10,
        >= (byte)'A' and <= (byte)'F' => value - 'A' + 10,
        _ => -1,
    };
}
