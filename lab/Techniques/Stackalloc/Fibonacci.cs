using System.Buffers;
using System.Runtime.CompilerServices;

namespace Lab.Techniques.Stackalloc;

/// <summary>The sum of the first 20 Fibonacci numbers (1, 1, 2, ...), which are first written to a buffer.</summary>
internal static class Fibonacci
{
    public const int Count = 20;
    public const int Sum = 17_710;

    /// <summary>The array stays in this method.</summary>
    public static int LocalArray()
    {
        int[] numbers = new int[Count];
        numbers[0] = 1;
        numbers[1] = 1;
        for (int at = 2; at < numbers.Length; at++)
        {
            numbers[at] = numbers[at - 1] + numbers[at - 2];
        }

        int sum = 0;
        foreach (int number in numbers)
        {
            sum += number;
        }

        return sum;
    }

    /// <summary>The array is passed to a method that is not inlined.</summary>
    public static int EscapingArray() => SumArray(new int[Count]);

    public static int OnTheStack() => SumSpan(stackalloc int[Count]);

    public static int Rented()
    {
        int[] numbers = ArrayPool<int>.Shared.Rent(Count);
        try
        {
            return SumSpan(numbers.AsSpan(0, Count));
        }
        finally
        {
            ArrayPool<int>.Shared.Return(numbers);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int SumArray(int[] numbers) => SumSpan(numbers);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int SumSpan(Span<int> numbers)
    {
        numbers[0] = 1;
        numbers[1] = 1;
        for (int at = 2; at < numbers.Length; at++)
        {
            numbers[at] = numbers[at - 1] + numbers[at - 2];
        }

        int sum = 0;
        foreach (int number in numbers)
        {
            sum += number;
        }

        return sum;
    }
}
