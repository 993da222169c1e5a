using Quayside.Pipeline.Settlements;

namespace Pipeline.Tests.Messages;

public sealed class ReceivedMessageTests
{
    private readonly StubMessage _message = new();

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
}
