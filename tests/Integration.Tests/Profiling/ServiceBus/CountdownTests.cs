using Harness.ServiceBus;

namespace Integration.Tests.Profiling.ServiceBus;

public sealed class CountdownTests
{
    [Fact]
    public void Signal_FromManyThreads_EndsAtZeroAndNotBefore()
    {
        Countdown countdown = new(1_000);

        Parallel.For(0, 999, _ => countdown.Signal());
        countdown.Left.ShouldBe(1);
        countdown.Signal();

        countdown.Left.ShouldBe(0);
    }

    [Fact]
    public void Signal_MoreThanWereSent_StaysAtZero()
    {
        Countdown countdown = new(1);

        countdown.Signal();
        countdown.Signal();

        countdown.Left.ShouldBe(0);
    }
}
