using System.Text;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Aws;

/// <summary>
/// One header to sign: ASCII name in any case, value as sent (multiple values already joined). Writes the headers' part of the canonical
/// request. Source: "Create a signed AWS API request" in the IAM user guide.
/// </summary>
internal readonly record struct SigV4Header(string Name, string Value)
{
    /// <summary>Orders by lower-case name, ordinal, as SigV4 requires (an upper-case comparison would place '_' differently).</summary>
    public static int Compare(SigV4Header left, SigV4Header right)
    {
        int common = Math.Min(left.Name.Length, right.Name.Length);
        for (int i = 0; i < common; i++)
        {
            int difference = Lower(left.Name[i]) - Lower(right.Name[i]);
            if (difference != 0)
            {
                return difference;
            }
        }

        return left.Name.Length - right.Name.Length;
    }

    public static char Lower(char c) => char.IsAsciiLetterUpper(c) ? (char)(c | 0x20) : c;

    /// <summary>Appends <c>name:value\n</c> for each header: name in lower case, value trimmed, each run of white space as one space.</summary>
    public static void AppendAll(PooledBuffer output, ReadOnlySpan<SigV4Header> sorted)
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
    public static void AppendNames(PooledBuffer output, ReadOnlySpan<SigV4Header> sorted)
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
}
