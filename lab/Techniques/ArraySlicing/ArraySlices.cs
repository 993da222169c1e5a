namespace Lab.Techniques.ArraySlicing;

/// <summary>The quarter of an array that begins at its middle.</summary>
internal static class ArraySlices
{
    /// <summary>Frozen: the original, which is lazy: it iterates when it is read.</summary>
    public static IEnumerable<int> Linq(int[] array) => array.Skip(array.Length / 2).Take(array.Length / 4);

    public static int[] LinqToArray(int[] array) => array.Skip(array.Length / 2).Take(array.Length / 4).ToArray();

    public static int[] Copied(int[] array)
    {
        int[] copy = new int[array.Length / 4];
        Array.Copy(array, array.Length / 2, copy, 0, copy.Length);
        return copy;
    }

    public static int[] CopiedByLoop(int[] array)
    {
        int[] copy = new int[array.Length / 4];
        int start = array.Length / 2;
        for (int at = 0; at < copy.Length; at++)
        {
            copy[at] = array[start + at];
        }

        return copy;
    }

    /// <summary>A view; nothing is copied.</summary>
    public static ReadOnlySpan<int> Span(int[] array) => array.AsSpan(array.Length / 2, array.Length / 4);

    public static long LinqSum(int[] array)
    {
        long sum = 0;
        foreach (int one in Linq(array))
        {
            sum += one;
        }

        return sum;
    }

    public static long SpanSum(int[] array)
    {
        long sum = 0;
        foreach (int one in Span(array))
        {
            sum += one;
        }

        return sum;
    }
}
