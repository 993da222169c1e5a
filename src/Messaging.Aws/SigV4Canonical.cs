using System.Buffers;
using System.Text;
using Pipeline.Buffers;

namespace Messaging.Aws;

/// <summary>
/// Writes the parts of SigV4's canonical request. Source: "Create a signed AWS API request" in the IAM user guide.
/// </summary>
internal static class SigV4Canonical
{
    // A UTF-16 unit is at most 3 bytes of UTF-8, each written as %XX.
    private const int MaxEncodedPerChar = 9;

    private static readonly SearchValues<char> Unreserved =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~");

    private static readonly SearchValues<char> UnreservedOrSlash =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/");

    /// <summary>
    /// Appends the canonical path. S3 signs the object's key encoded once, so an encoded path is decoded first; every other
    /// service encodes the path of the wire once more. Nothing is normalised: <c>//</c> and dot segments stay.
    /// </summary>
    public static void AppendPath(PooledBuffer output, ReadOnlySpan<char> path, bool isS3)
    {
        if (path.IsEmpty)
        {
            output.Append("/"u8);
            return;
        }

        AppendEncoded(output, path, keepSlash: true, decode: isS3, plusIsSpace: false);
    }

    /// <summary>Appends the canonical query: names and values decoded, encoded the canonical way, sorted by name, then by value.</summary>
    public static void AppendQuery(PooledBuffer output, ReadOnlySpan<char> query, BufferPool buffers)
    {
        if (query.IsEmpty)
        {
            return;
        }

        int count = query.Count('&') + 1;
        EncodedParameter[] parameters = ArrayPool<EncodedParameter>.Shared.Rent(count);
        PooledBuffer encoded = buffers.Rent(query.Length * 3);
        try
        {
            int used = 0;
            foreach (Range range in query.Split('&'))
            {
                ReadOnlySpan<char> parameter = query[range];
                if (parameter.IsEmpty)
                {
                    continue;
                }

                int equals = parameter.IndexOf('=');
                int start = encoded.Length;
                AppendEncoded(encoded, equals < 0 ? parameter : parameter[..equals], keepSlash: false, decode: true, plusIsSpace: true);
                int nameEnd = encoded.Length;
                AppendEncoded(encoded, equals < 0 ? default : parameter[(equals + 1)..], keepSlash: false, decode: true, plusIsSpace: true);
                parameters[used++] = new EncodedParameter(encoded, start, nameEnd, encoded.Length);
            }

            Span<EncodedParameter> sorted = parameters.AsSpan(0, used);
            sorted.Sort(EncodedParameter.Compare);
            for (int i = 0; i < sorted.Length; i++)
            {
                output.Append(i == 0 ? default : "&"u8);
                output.Append(sorted[i].Name);
                output.Append("="u8);
                output.Append(sorted[i].Value);
            }
        }
        finally
        {
            encoded.Dispose();
            ArrayPool<EncodedParameter>.Shared.Return(parameters, clearArray: true);
        }
    }

    /// <summary>Appends <c>name:value\n</c> for each header: name in lower case, value trimmed, runs of blanks as one space.</summary>
    public static void AppendHeaders(PooledBuffer output, ReadOnlySpan<SigV4Header> sorted)
    {
        foreach (ref readonly SigV4Header header in sorted)
        {
            AppendName(output, header.Name);
            output.Append(":"u8);
            AppendCollapsed(output, header.Value);
            output.Append("\n"u8);
        }
    }

    /// <summary>Appends the header names in lower case, separated by semicolons.</summary>
    public static void AppendHeaderNames(PooledBuffer output, ReadOnlySpan<SigV4Header> sorted)
    {
        for (int i = 0; i < sorted.Length; i++)
        {
            output.Append(i == 0 ? default : ";"u8);
            AppendName(output, sorted[i].Name);
        }
    }

    private static void AppendName(PooledBuffer output, string name)
    {
        Ascii.ToLower(name, output.GetSpan(name.Length), out _);
        output.Advance(name.Length);
    }

    private static void AppendCollapsed(PooledBuffer output, ReadOnlySpan<char> value)
    {
        value = value.Trim(" \t\r\n");
        while (!value.IsEmpty)
        {
            int blank = value.IndexOfAny(" \t\r\n");
            ReadOnlySpan<char> word = blank < 0 ? value : value[..blank];
            Span<byte> target = output.GetSpan(Encoding.UTF8.GetMaxByteCount(word.Length));
            output.Advance(Encoding.UTF8.GetBytes(word, target));
            value = blank < 0 ? default : value[blank..].TrimStart(" \t\r\n");
            output.Append(blank < 0 ? default : " "u8);
        }
    }

    private static void AppendEncoded(PooledBuffer output, ReadOnlySpan<char> text, bool keepSlash, bool decode, bool plusIsSpace)
    {
        // Nearly always all of it, and many characters at a time.
        int plain = text.IndexOfAnyExcept(keepSlash ? UnreservedOrSlash : Unreserved);
        plain = plain < 0 ? text.Length : plain;
        Encoding.ASCII.GetBytes(text[..plain], output.GetSpan(plain));
        output.Advance(plain);
        text = text[plain..];
        if (text.IsEmpty)
        {
            return;
        }

        Span<byte> target = output.GetSpan(text.Length * MaxEncodedPerChar);
        Span<byte> utf8 = stackalloc byte[4];
        int written = 0;
        for (int i = 0; i < text.Length;)
        {
            char c = text[i];
            if (Unreserved.Contains(c) || (c == '/' && keepSlash))
            {
                target[written++] = (byte)c;
                i++;
            }
            else if (decode && c == '%' && i + 2 < text.Length && char.IsAsciiHexDigit(text[i + 1]) && char.IsAsciiHexDigit(text[i + 2]))
            {
                written += Encode(target[written..], (byte)((HexValue(text[i + 1]) << 4) | HexValue(text[i + 2])), keepSlash);
                i += 3;
            }
            else
            {
                Rune.DecodeFromUtf16(text[i..], out Rune rune, out int consumed);
                rune = rune.Value == '+' && plusIsSpace ? new Rune(' ') : rune;
                foreach (byte b in utf8[..rune.EncodeToUtf8(utf8)])
                {
                    written += Encode(target[written..], b, keepSlash);
                }

                i += consumed;
            }
        }

        output.Advance(written);
    }

    private static int Encode(Span<byte> target, byte value, bool keepSlash)
    {
        if (Unreserved.Contains((char)value) || (value == '/' && keepSlash))
        {
            target[0] = value;
            return 1;
        }

        target[0] = (byte)'%';
        target[1] = "0123456789ABCDEF"u8[value >> 4];
        target[2] = "0123456789ABCDEF"u8[value & 15];
        return 3;
    }

    private static int HexValue(char c) => char.IsAsciiDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10;

    private readonly struct EncodedParameter(PooledBuffer buffer, int start, int nameEnd, int end)
    {
        public ReadOnlySpan<byte> Name => buffer.WrittenSpan[start..nameEnd];

        public ReadOnlySpan<byte> Value => buffer.WrittenSpan[nameEnd..end];

        public static int Compare(EncodedParameter left, EncodedParameter right)
        {
            int byName = left.Name.SequenceCompareTo(right.Name);
            return byName != 0 ? byName : left.Value.SequenceCompareTo(right.Value);
        }
    }
}
