namespace Benchmarks.Udp.Receivers;

/// <summary>The article's checksum: Fletcher's sums over characters, reduced at each step.</summary>
internal static class ArticleChecksum
{
    private static int _last;

    public static int Compute(ReadOnlySpan<char> data)
    {
        int sum1 = 0;
        int sum2 = 0;
        foreach (char c in data)
        {
            sum1 = (sum1 + c) % 0xFFFF;
            sum2 = (sum2 + sum1) % 0xFFFF;
        }

        return (sum2 << 16) | sum1;
    }

    /// <summary>Keeps the result, so that computing it is not left out.</summary>
    public static void Use(int checksum) => Volatile.Write(ref _last, checksum);
}
