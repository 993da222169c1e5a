namespace Messaging.Aws;

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
