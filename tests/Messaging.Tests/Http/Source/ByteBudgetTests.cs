using Quayside.Messaging.Http.Source;

namespace Messaging.Tests.Http.Source;

public sealed class ByteBudgetTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(-3)]
    public void TryTake_NothingOrLessWhileAnotherAttemptIsAboveTheLimit_Succeeds(long bytes)
    {
        ByteBudget budget = new(limit: 10);
        budget.TryTake(8).ShouldBeTrue();

        // As in the middle of another caller's attempt: its bytes are added, and not yet taken back.
        budget.Return(-100);

        budget.TryTake(bytes).ShouldBeTrue();
        budget.Return(100);
        budget.Taken.ShouldBe(8 + bytes);
    }

    [Fact]
    public void TryTake_AboveTheLimit_TakesNothing()
    {
        ByteBudget budget = new(limit: 10);
        budget.TryTake(10).ShouldBeTrue();

        budget.TryTake(1).ShouldBeFalse();

        budget.Taken.ShouldBe(10);
    }
}
