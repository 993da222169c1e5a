using Pipeline.Tests.Messages;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Pipeline.Tests.Contexts;

public sealed class ContextPoolTests
{
    [Fact]
    public void Rent_AfterReturn_GivesTheSameContextClean()
    {
        ContextPool<MessageContext> pool = new(4);
        MessageContext context = pool.Rent();
        context.Message = new StubMessage();
        context.Settlement = Settlement.Complete;
        context.CancellationToken = new CancellationToken(canceled: true);
        pool.Outstanding.ShouldBe(1);

        pool.Return(context);
        MessageContext again = pool.Rent();

        again.ShouldBeSameAs(context);
        again.Settlement.IsDecided.ShouldBeFalse();
        again.CancellationToken.CanBeCanceled.ShouldBeFalse();
        Should.Throw<InvalidOperationException>(() => again.Message).Message.ShouldBe("The context holds no message.");
    }

    [Fact]
    public void Outstanding_RentedAndReturned_EndsAtZero()
    {
        ContextPool<MessageContext> pool = new(2);

        MessageContext[] rented = [.. Enumerable.Range(0, 5).Select(_ => pool.Rent())];
        pool.Outstanding.ShouldBe(5);
        rented.ShouldBeUnique();
        Array.ForEach(rented, pool.Return);

        pool.Outstanding.ShouldBe(0);
    }

    [Fact]
    public void RentAndReturn_ManyThreads_NoContextIsSharedOrDirty()
    {
        ContextPool<MessageContext> pool = new(4);
        int wrong = 0;

        Parallel.For(0, 8, number =>
        {
            for (int i = 0; i < 10_000; i++)
            {
                MessageContext context = pool.Rent();
                Settlement own = Settlement.Abandon(TimeSpan.FromTicks((number * 100_000) + i + 1));
                bool clean = !context.Settlement.IsDecided;
                context.Settlement = own;
                if (!clean || context.Settlement != own)
                {
                    Interlocked.Increment(ref wrong);
                }

                pool.Return(context);
            }
        });

        wrong.ShouldBe(0);
        pool.Outstanding.ShouldBe(0);
    }
}
