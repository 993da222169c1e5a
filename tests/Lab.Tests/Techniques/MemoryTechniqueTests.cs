using System.Buffers.Binary;
using Lab.Techniques.ArraySlicing;
using Lab.Techniques.Downcasts;
using Lab.Techniques.Stackalloc;
using Lab.Techniques.TypedViews;

namespace Lab.Tests.Techniques;

/// <summary>All variants of slicing, of reading bytes as values and of casting agree, edge cases included.</summary>
public sealed class MemoryTechniqueTests
{
    [Fact]
    public void ArraySlices_AnySize_EveryVariantGivesTheSame()
    {
        foreach (int size in (int[])[.. Enumerable.Range(0, 70), 1_000, 10_000])
        {
            int[] array = [.. Enumerable.Range(0, size).Select(one => (one * 7_919) - size)];
            int[] slice = [.. ArraySlices.Linq(array)];
            slice.Length.ShouldBe(size / 4);
            ArraySlices.LinqToArray(array).ShouldBe(slice);
            ArraySlices.Copied(array).ShouldBe(slice);
            ArraySlices.CopiedByLoop(array).ShouldBe(slice);
            ArraySlices.Span(array).ToArray().ShouldBe(slice);
            (ArraySlices.LinqSum(array), ArraySlices.SpanSum(array)).ShouldBe((slice.Sum(one => (long)one), slice.Sum(one => (long)one)));
        }
    }

    [Fact]
    public void Fibonacci_EveryVariant_GivesTheSum()
    {
        int[] sums = [Fibonacci.EscapingArray(), Fibonacci.LocalArray(), Fibonacci.OnTheStack(), Fibonacci.Rented()];
        sums.ShouldAllBe(sum => sum == Fibonacci.Sum);
    }

    [Fact]
    public void Fibonacci_UsedRentedArray_IsNotReadBeyondItsCount()
    {
        int[] used = System.Buffers.ArrayPool<int>.Shared.Rent(Fibonacci.Count);
        Array.Fill(used, int.MaxValue);
        System.Buffers.ArrayPool<int>.Shared.Return(used);

        Fibonacci.Rented().ShouldBe(Fibonacci.Sum);
    }

    [Fact]
    public void BidReading_AnyLengthAndOffset_EveryVariantGivesTheSame()
    {
        Random random = new(2);
        for (int length = 0; length < 100; length++)
        {
            for (int offset = 0; offset < Bid.Bytes; offset++)
            {
                byte[] bytes = RandomBids(random, offset, length);
                ReadOnlySpan<byte> view = bytes.AsSpan(offset);
                double total = BidReading.Primitives(view);

                BidReading.Reader(bytes[offset..]).ShouldBe(total);
                BidReading.Cast(view).ShouldBe(total);
                BidReading.Unchecked(view).ShouldBe(total);
            }
        }
    }

    [Fact]
    public void BidReading_WireBytes_AreLittleEndianOnEveryMachine() =>
        BidReading.Primitives([0x02, 0x01, 0xEE, 0xEE, 0x00, 0x00, 0xC0, 0x3F]).ShouldBe(0x0102 * 1.5);

    [Fact]
    public void Downcasts_ManyObjects_EveryVariantGivesTheSame()
    {
        object[] items = [.. Enumerable.Range(-50, 300).Select(count => new SealedCount(count))];
        int sum = Enumerable.Range(-50, 300).Sum();

        (Counted<SealedCount>.Cast(items), SealedCount.Cast(items), Counted<SealedCount>.Unchecked(items)).ShouldBe((sum, sum, sum));
        Counted<SealedCount>.Unchecked([]).ShouldBe(0);
    }

    [Fact]
    public void Downcasts_AnotherType_IsRefusedByTheSafeOnes()
    {
        Should.Throw<InvalidCastException>(() => Counted<SealedCount>.Cast(["text"]));
        Should.Throw<InvalidCastException>(() => SealedCount.Cast(["text"]));
    }

    // Prices are finite: NaN equals no value, so a sum that is NaN would hide what was read.
    private static byte[] RandomBids(Random random, int offset, int length)
    {
        byte[] bytes = new byte[offset + length];
        random.NextBytes(bytes);
        for (int at = offset; at + Bid.Bytes <= bytes.Length; at += Bid.Bytes)
        {
            BinaryPrimitives.WriteSingleLittleEndian(bytes.AsSpan(at + Bid.PriceAt), random.Next(-1_000, 1_000) / 8f);
        }

        return bytes;
    }
}
