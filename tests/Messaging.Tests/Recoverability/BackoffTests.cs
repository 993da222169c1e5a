using Quayside.Messaging.Recoverability;

namespace Messaging.Tests.Recoverability;

public sealed class BackoffTests
{
    private static readonly Backoff Backoff = new(TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(20));

    [Theory]
    [InlineData(0, 100)]
    [InlineData(1, 100)]
    [InlineData(2, 200)]
    [InlineData(3, 400)]
    [InlineData(8, 12_800)]
    [InlineData(9, 20_000)]
    [InlineData(64, 20_000)]
    [InlineData(int.MaxValue, 20_000)]
    public void After_Failures_IsRandomBelowTheDoubledBound(int failures, int boundMilliseconds)
    {
        TimeSpan bound = TimeSpan.FromMilliseconds(boundMilliseconds);

        TimeSpan[] waits = [.. Enumerable.Range(0, 2_000).Select(_ => Backoff.After(failures))];

        waits.Min().ShouldBeGreaterThanOrEqualTo(TimeSpan.Zero);
        waits.Max().ShouldBeLessThanOrEqualTo(bound);

        // Full jitter: the probability that 2,000 draws miss either end by a tenth is 1e-91.
        waits.Min().ShouldBeLessThan(bound * 0.1);
        waits.Max().ShouldBeGreaterThan(bound * 0.9);
    }

    [Fact]
    public void After_LongerRetryAfter_WaitsAtLeastThat() =>
        Backoff.After(1, TimeSpan.FromMinutes(5)).ShouldBe(TimeSpan.FromMinutes(5));

    [Fact]
    public void After_ShorterRetryAfter_StaysRandomAboveIt()
    {
        TimeSpan[] waits = [.. Enumerable.Range(0, 500).Select(_ => Backoff.After(20, TimeSpan.FromSeconds(10)))];

        waits.Min().ShouldBe(TimeSpan.FromSeconds(10));
        waits.Max().ShouldBeGreaterThan(TimeSpan.FromSeconds(12));
    }
}
