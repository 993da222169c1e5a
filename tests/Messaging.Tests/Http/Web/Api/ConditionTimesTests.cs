using Quayside.Messaging.Console.Api;
using Quayside.Messaging.Hosting;

namespace Messaging.Tests.Http.Web.Api;

public sealed class ConditionTimesTests
{
    private static readonly DateTime Now = new(2026, 1, 31, 10, 0, 0, DateTimeKind.Utc);

    private readonly ConditionTimes _times = new();

    [Fact]
    public void Condition_ThatHolds_BeganWhenItWasFirstSeen()
    {
        RouteStatus healthy = WorkerHistoryTests.Status(default);
        RouteStatus failing = healthy with { Problem = "The disk is full.", IsReceiving = false, Warnings = ["It is slow."], InDeadLetterQueue = 3 };
        string[] conditions = ["problem", "receiving", "warning", "dead-letters"];

        _times.Note([healthy], Now);
        Since(conditions).ShouldBe([null, null, null, null]);
        _times.Note([failing], Now.AddSeconds(5));
        _times.Note([failing with { Problem = "The disk is full, still." }], Now.AddSeconds(10));
        Since(conditions).ShouldAllBe(since => since == Now.AddSeconds(5));

        _times.Note([healthy with { InDeadLetterQueue = 0 }], Now.AddSeconds(15));
        _times.Note([failing], Now.AddSeconds(20));
        Since(conditions).ShouldAllBe(since => since == Now.AddSeconds(20));
        _times.Of("other", "problem").ShouldBeNull();
    }

    private IEnumerable<DateTime?> Since(string[] conditions) => conditions.Select(condition => _times.Of("archive", condition));
}
