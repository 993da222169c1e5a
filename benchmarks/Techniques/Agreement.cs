namespace Benchmarks.Techniques;

/// <summary>Figures of different work are worth nothing: every variant of a suite must give the same.</summary>
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
