using System.Diagnostics;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Telemetry;

public sealed class EpisodeTests
{
    [Fact]
    public void First_IsThatAfterTheLastQuietTime()
    {
        Episode spell = new();
        long[] seconds = [0, 600, 1_499, 2_399, 3_000];
        foreach (long second in seconds)
        {
            spell.Add(second * Stopwatch.Frequency);
        }

        // 15 minutes passed between the third and the fourth.
        (spell.First / Stopwatch.Frequency).ShouldBe(2_399);
        (spell.Last / Stopwatch.Frequency).ShouldBe(3_000);
    }

    [Fact]
    public void InputDropped_BeginsASpell()
    {
        RouteMetrics metrics = new("archive");
        metrics.SinceDropped.ShouldBeNull();
        metrics.SinceLost.ShouldBeNull();

        metrics.InputDropped(3454, "TcpLines", "too-long", "Send shorter lines.", isLost: true);
        metrics.MessagesLost(1);

        (TimeSpan first, TimeSpan last) = metrics.SinceDropped.ShouldNotBeNull();
        first.ShouldBeLessThan(TimeSpan.FromMinutes(10));
        last.ShouldBeLessThan(TimeSpan.FromMinutes(10));
        metrics.SinceLost.ShouldNotBeNull();
    }
}
