using System.Runtime.CompilerServices;

namespace Lab.Techniques.Downcasts;

/// <summary>
/// A value known to be a <typeparamref name="T"/> but held as an object. Not inlined: all reference types share the code, as they do in
/// a generic class on a hot path.
/// </summary>
internal static class Counted<T>
    where T : class, ICount
{
    [MethodImpl(MethodImplOptions.NoInlining)]
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
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Unchecked(object[] items)
    {
        int sum = 0;
        foreach (object item in items)
        {
            sum += Unsafe.As<T>(item).Count;
        }

        return sum;
    }
}
