using System.Text;
using Pipeline.Buffers;

namespace Messaging.Aws;

/// <summary>
/// Writes the parts of SigV4's canonical request. Source: "Create a signed AWS API request" in the IAM user guide.
/// </summary>
internal static class SigV4Canonical
{
    /// <summary>Appends <c>name:value\n</c> for each header: name in lower case, value trimmed, each run of white space as one space.</summary>
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
}
