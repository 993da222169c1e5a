namespace Lab.Techniques;

/// <summary>Checks that every variant of a suite gives the same result: figures of different work are worthless.</summary>
internal static class Agreement
{
    /// <exception cref="InvalidOperationException">A variant gives something else.</exception>
    public static void Require<T>(T expected, params ReadOnlySpan<T> found)
    {
        for (int at = 0; at < found.Length; at++)
        {
            if (!EqualityComparer<T>.Default.Equals(expected, found[at]))
            {
                throw new InvalidOperationException($"Variant {at + 1} gives {found[at]} where the original gives {expected}.");
            }
        }
    }
}
