namespace Messaging.Aws;

/// <summary>What of a request goes into its signature. A borrow for the duration of the call it is passed to.</summary>
internal readonly ref struct SigV4Request
{
    /// <summary>The HTTP method in capitals.</summary>
    public required ReadOnlySpan<char> Method { get; init; }

    /// <summary>The path as on the wire, beginning with a slash.</summary>
    public required ReadOnlySpan<char> Path { get; init; }

    /// <summary>The query as on the wire, without the question mark; may be empty.</summary>
    public ReadOnlySpan<char> Query { get; init; }

    /// <summary>The headers to sign, <c>host</c> and <c>x-amz-date</c> among them, each name once. The signer sorts them in place.</summary>
    public required Span<SigV4Header> Headers { get; init; }

    /// <summary>SHA-256 of the payload as 64 lower-case hex digits, or <c>UNSIGNED-PAYLOAD</c>; ASCII.</summary>
    public required ReadOnlySpan<byte> PayloadHash { get; init; }
}

/// <summary>One header to sign: ASCII name in any case, value as on the wire (several values already joined).</summary>
internal readonly record struct SigV4Header(string Name, string Value)
{
    /// <summary>Orders by lower-case name, ordinal, as SigV4 wants it (an upper-case comparison would put '_' elsewhere).</summary>
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

    /// <summary>The lower-case form of one ASCII character of a name.</summary>
    public static char Lower(char c) => char.IsAsciiLetterUpper(c) ? (char)(c | 0x20) : c;
}
