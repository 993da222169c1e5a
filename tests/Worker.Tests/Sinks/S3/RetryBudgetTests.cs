using Worker.Sinks.S3;

namespace Worker.Tests.Sinks.S3;

public sealed class RetryBudgetTests
{
    private static readonly S3Fault SlowDown = new(S3FaultKind.Transient, "SlowDown", 503);
    private static readonly S3Fault Timeout = new(S3FaultKind.Transient, S3Faults.TimeoutCode);

    [Fact]
    public void TryTake_UntilEmpty_GrantsAHundredRetries()
    {
        RetryBudget budget = new();

        Enumerable.Range(0, 200).Count(_ => budget.TryTake(SlowDown, out _)).ShouldBe(100);
        budget.TryTake(SlowDown, out int taken).ShouldBeFalse();

        (taken, budget.Tokens).ShouldBe((0, 0));
    }

    [Fact]
    public void TryTake_AfterTimeouts_CostsTwice()
    {
        RetryBudget budget = new();

        Enumerable.Range(0, 200).Count(_ => budget.TryTake(Timeout, out _)).ShouldBe(50);
    }

    [Fact]
    public void Succeeded_GivesBackWhatTheRetryTookOrOne()
    {
        RetryBudget budget = new();
        budget.TryTake(Timeout, out int timeout).ShouldBeTrue();
        budget.TryTake(SlowDown, out _).ShouldBeTrue();
        budget.Tokens.ShouldBe(485);

        budget.Succeeded(timeout);
        budget.Tokens.ShouldBe(495);
        budget.Succeeded(0);
        budget.Tokens.ShouldBe(496);
        budget.Succeeded(10);

        budget.Tokens.ShouldBe(RetryBudget.Capacity);
    }

    [Fact]
    public async Task TryTake_ManyAtOnce_NeverGrantsMore()
    {
        RetryBudget budget = new();
        int granted = 0;

        await Parallel.ForEachAsync(Enumerable.Range(0, 1_000), TestContext.Current.CancellationToken, (_, _) =>
        {
            if (budget.TryTake(SlowDown, out int _))
            {
                Interlocked.Increment(ref granted);
            }

            return default;
        });

        granted.ShouldBe(100);
    }
}
