namespace Messaging.Aws;

/// <summary>One header to sign: ASCII name in any case, value as sent (multiple values already joined).</summary>
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
}
