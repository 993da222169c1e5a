using System.Collections.Concurrent;
using Quayside.Messaging.Console.Api;

namespace Messaging.Tests.Http.Web.Api;

public sealed class WatchersTests
{
    [Fact]
    public void TryAdd_AtTheLimit_EndsTheOldestOnceItsMinimumTimeHasPassed()
    {
        ManualTimeProvider time = new();
        Watchers watchers = new(time);
        ConcurrentQueue<int> ended = [];
        Action[] ends = [.. Enumerable.Range(0, Watchers.Max + 3).Select(number => (Action)(() => ended.Enqueue(number)))];
        foreach (Action end in ends[..Watchers.Max])
        {
            watchers.TryAdd(end).ShouldBeTrue();
        }

        time.Advance(Watchers.Turn - TimeSpan.FromSeconds(1));
        watchers.TryAdd(ends[^3]).ShouldBeFalse();
        time.Advance(TimeSpan.FromSeconds(1));
        watchers.TryAdd(ends[^3]).ShouldBeTrue();
        ended.ShouldBe([0]);

        watchers.Remove(ends[0]);
        watchers.Remove(ends[5]);
        watchers.TryAdd(ends[^2]).ShouldBeTrue();
        ended.ToArray().ShouldBe([0], "Below the limit none is ended.");
        watchers.TryAdd(ends[^1]).ShouldBeTrue();
        ended.ShouldBe([0, 1]);
    }
}
