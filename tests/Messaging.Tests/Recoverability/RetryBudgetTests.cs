using Quayside.Messaging.Recoverability;

namespace Messaging.Tests.Recoverability;

public sealed class RetryBudgetTests
{
    [Fact]
    public void TryTake_UntilEmpty_GrantsAHundredRetries()
    {
        RetryBudget budget = new();

        Enumerable.Range(0, 200).Count(_ => budget.TryTake(timedOut: false, out _)).ShouldBe(100);
        budget.TryTake(timedOut: false, out int taken).ShouldBeFalse();

        (taken, budget.Tokens).ShouldBe((0, 0));
    }

    [Fact]
    public void TryTake_AfterTimeouts_CostsDouble()
    {
        RetryBudget budget = new();

        Enumerable.Range(0, 200).Count(_ => budget.TryTake(timedOut: true, out _)).ShouldBe(50);
    }

    [Fact]
    public void Succeeded_AfterARetry_RefundsItsTokensOrOne()
    {
        RetryBudget budget = new();
        budget.TryTake(timedOut: true, out int timeout).ShouldBeTrue();
        budget.TryTake(timedOut: false, out _).ShouldBeTrue();
        budget.Tokens.ShouldBe(485);

        budget.Succeeded(timeout);
        budget.Tokens.ShouldBe(495);
        budget.Succeeded(0);
        budget.Tokens.ShouldBe(496);
        budget.Succeeded(10);

        budget.Tokens.ShouldBe(RetryBudget.Capacity);
    }

    [Fact]
    public async Task TryTake_ManyConcurrently_NeverGrantsMore()
    {
        RetryBudget budget = new();
        int granted = 0;

        await Parallel.ForEachAsync(Enumerable.Range(0, 1_000), TestContext.Current.CancellationToken, (_, _) =>
        {
            if (budget.TryTake(timedOut: false, out int _))
            {
                Interlocked.Increment(ref granted);
            }

            return default;
        });

        granted.ShouldBe(100);
    }
}
