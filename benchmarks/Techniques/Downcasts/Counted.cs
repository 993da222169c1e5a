namespace Benchmarks.Techniques.Downcasts;

/// <summary>What is known to be a <typeparamref name="T"/>, and held as an object.</summary>
internal static class Counted<T>
    where T : class, ICount
{
    public static int Cast(object[] items)
    {
        int sum = 0;
        foreach (object item in items)
        {
            sum += ((T)item).Count;
        }

        return sum;
    }

    /// <summary>Without the check: another type here corrupts memory. The safe reference is <see cref="Cast"/>.</summary>
    public static int Unchecked(object[] items)
    {
        int sum = 0;
        foreach (object item in items)
        {
            sum += System.Runtime.CompilerServices.Unsafe.As<T>(item).Count;
        }

        return sum;
    }
}
