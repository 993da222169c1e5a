namespace Lab.Techniques.Downcasts;

/// <summary>A sealed type: a cast to it is one comparison.</summary>
internal sealed class SealedCount(int count) : ICount
{
    public int Count => count;

    public static int Cast(object[] items)
    {
        int sum = 0;
        foreach (object item in items)
        {
            sum += ((SealedCount)item).Count;
        }

        return sum;
    }
}
