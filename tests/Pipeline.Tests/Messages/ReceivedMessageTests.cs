using Pipeline.Settlements;

namespace Pipeline.Tests.Messages;

public sealed class ReceivedMessageTests
{
    private readonly StubMessage _message = new();

    [Fact]
    public async Task Settle_Once_ReachesTheSource()
    {
        await _message.SettleAsync(Settlement.DeadLetter("bad", "why"), TestContext.Current.CancellationToken);

        _message.Settlements.ShouldBe([Settlement.DeadLetter("bad", "why")]);
    }

    [Fact]
    public async Task Settle_Twice_ThrowsAndTheFirstSettlementStands()
    {
        await _message.SettleAsync(Settlement.Complete, TestContext.Current.CancellationToken);

        (await Should.ThrowAsync<InvalidOperationException>(async () => await _message.SettleAsync(Settlement.Abandon(default), default)))
            .Message.ShouldBe("The message was already settled; a message is settled exactly once.");
        _message.Settlements.ShouldBe([Settlement.Complete]);
    }

    [Fact]
    public async Task Settle_Undecided_ThrowsAndTheMessageCanStillBeSettled()
    {
        (await Should.ThrowAsync<InvalidOperationException>(async () => await _message.SettleAsync(default, default)))
            .Message.ShouldBe("An undecided settlement cannot be carried out; abandon the message instead.");

        await _message.SettleAsync(Settlement.Abandon(default), TestContext.Current.CancellationToken);

        _message.Settlements.Count.ShouldBe(1);
    }

    [Fact]
    public void Settle_FromManyThreads_OneWins()
    {
        for (int round = 0; round < 500; round++)
        {
            StubMessage message = new();
            int refused = 0;

            Parallel.For(0, 4, _ =>
            {
                try
                {
                    message.SettleAsync(Settlement.Complete, CancellationToken.None).GetAwaiter().GetResult();
                }
                catch (InvalidOperationException)
                {
                    Interlocked.Increment(ref refused);
                }
            });

            refused.ShouldBe(3);
            message.Settlements.Count.ShouldBe(1);
        }
    }

    [Fact]
    public async Task Settle_AfterTheSourceReusedTheObject_IsAllowedAgain()
    {
        await _message.SettleAsync(Settlement.Abandon(default), TestContext.Current.CancellationToken);
        _message.Redeliver();

        await _message.SettleAsync(Settlement.Complete, TestContext.Current.CancellationToken);

        _message.Settlements.Count.ShouldBe(2);
    }

    [Fact]
    public void Defaults_SayAFirstDeliveryWithoutAttributes()
    {
        _message.DeliveryCount.ShouldBe(1);
        _message.EnqueuedAt.ShouldBeNull();
        _message.Attributes.ShouldBeEmpty();
    }
}
