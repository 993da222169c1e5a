using System.ComponentModel;

namespace Benchmarks.Walk;

/// <summary>Counts of the sites that <see cref="CountedProgram"/> writes into the product's assemblies. Public for their sake only.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class WalkCounters
{
    /// <summary>Sites that can be counted. The product has some 5,000 methods.</summary>
    public const int Capacity = 1 << 16;

    private static readonly long[] Counts = new long[Capacity];

    /// <summary>Called by the rewritten code.</summary>
    public static void Add(int site) => Interlocked.Increment(ref Counts[site]);

    /// <param name="sites">The first so many sites.</param>
    internal static long[] Read(int sites)
    {
        long[] counts = new long[sites];
        for (int i = 0; i < counts.Length; i++)
        {
            counts[i] = Interlocked.Read(ref Counts[i]);
        }

        return counts;
    }
}
