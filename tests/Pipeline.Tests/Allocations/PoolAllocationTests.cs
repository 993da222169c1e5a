using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Contexts;
using Tests.Shared;

namespace Pipeline.Tests.Allocations;

/// <summary>Renting and returning in a steady state.</summary>
[Collection(AllocationCollection.Name)]
public sealed class PoolAllocationTests
{
    private const int Rounds = 5_000;

    [Fact]
    public void RentAndDispose_Buffers_AllocatesNothing()
    {
        BufferPool pool = new();
        byte[] piece = new byte[100];

        MinBytes.OfThread(() => Repeat(() =>
        {
            using PooledBuffer first = pool.Rent(64);
            using PooledBuffer second = pool.Rent(1_000);
            for (int i = 0; i < 20; i++)
            {
                first.Append(piece);
            }

            second.Append(first.WrittenSpan);
        })).ShouldBe(0);
    }

    [Fact]
    public void RentAndReturn_Contexts_AllocatesNothing()
    {
        ContextPool<MessageContext> pool = new(4);

        MinBytes.OfThread(() => Repeat(() =>
        {
            MessageContext first = pool.Rent();
            MessageContext second = pool.Rent();
            pool.Return(first);
            pool.Return(second);
        })).ShouldBe(0);
    }

    private static void Repeat(Action round)
    {
        for (int i = 0; i < Rounds; i++)
        {
            round();
        }
    }
}
