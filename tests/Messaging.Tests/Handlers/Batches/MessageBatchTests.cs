using System.Text;
using Messaging.Tests.Intake;
using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Batches;

/// <summary>A batch as created by a test of a handler.</summary>
public sealed class MessageBatchTests
{
    private readonly MessageBatch<string> _batch = new(["a", "b", "c"]);

    [Fact]
    public void Settle_Undecided_DecidesNothing()
    {
        _batch.Settle(0, default).ShouldBeFalse();
        _batch.SettleRest(default).ShouldBe(0);

        _batch.Settle(0, Settlement.Complete).ShouldBeTrue();
    }

    [Fact]
    public void SettleRest_LeavesWhatIsSettled()
    {
        _batch.Settle(1, Settlement.DeadLetter("x", "y"));

        _batch.SettleRest(Settlement.Complete).ShouldBe(2);
        _batch.SettleRest(Settlement.Complete).ShouldBe(0);

        Enumerable
            .Range(0, 3)
            .Select(index => _batch.SettlementOf(index).Kind)
            .ShouldBe([SettlementKind.Complete, SettlementKind.DeadLetter, SettlementKind.Complete]);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(3)]
    public void Index_OutOfTheBatch_Throws(int index)
    {
        Should.Throw<ArgumentOutOfRangeException>(() => _batch[index]);
        Should.Throw<ArgumentOutOfRangeException>(() => _batch.InfoOf(index));
        Should.Throw<ArgumentOutOfRangeException>(() => _batch.SettlementOf(index));
        Should.Throw<ArgumentOutOfRangeException>(() => _batch.Settle(index, Settlement.Complete));
    }

    [Fact]
    public void InfoOf_Message_IsAsGiven()
    {
        MessageBatch<string> batch = new(["a"], [new MessageInfo("orders", new TestMessage { Id = "seven", Deliveries = 2 })]);

        MessageInfo info = batch.InfoOf(0);

        $"{info.Route} {Encoding.UTF8.GetString(info.SourceId.Span)} {info.DeliveryCount}".ShouldBe("orders seven 2");
        Should.Throw<ArgumentException>(() => new MessageBatch<string>(["a", "b"], [info]));
    }

    [Fact]
    public void Settle_FromManyThreads_OneDecisionCountsForEach()
    {
        const int Count = 1_000;
        MessageBatch<int> batch = new([.. Enumerable.Range(0, Count)]);
        int decided = 0;

        Parallel.For(0, 8, _ =>
        {
            for (int i = 0; i < Count; i++)
            {
                Interlocked.Add(ref decided, batch.Settle(i, Settlement.Complete) ? 1 : 0);
            }
        });

        decided.ShouldBe(Count);
    }
}
