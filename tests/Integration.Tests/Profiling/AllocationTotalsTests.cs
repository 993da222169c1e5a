using Harness.Collecting;

namespace Integration.Tests.Profiling;

public sealed class AllocationTotalsTests
{
    private const ulong Type = 0x7000;

    private readonly AllocationTotals _totals = new();

    [Fact]
    public void ToTypes_ObjectsOfOneThread_AreAddedUpWithTheirPadding()
    {
        Add(thread: 1, bytes: 24);
        Add(thread: 1, bytes: 27);

        _totals.ToTypes().ShouldBe([new CollectedType(Type, 24 + 32, 2)]);
    }

    [Fact]
    public void ToTypes_FurtherThreads_GetTheirUnreportedFirstObject()
    {
        Add(thread: 1, bytes: 64);
        Add(thread: 2, bytes: 64);
        Add(thread: 2, bytes: 64);
        Add(thread: 3, bytes: 64);

        _totals.ToTypes().ShouldBe([new CollectedType(Type, 6 * 64, 6)]);
    }

    [Fact]
    public void ToTypes_FurtherThreadWithObjectsOfSeveralSizes_AddsTheSmallest()
    {
        Add(thread: 1, bytes: 32);
        Add(thread: 2, bytes: 1000);

        _totals.ToTypes().ShouldBe([new CollectedType(Type, 32 + 1000 + 32, 3)]);
    }

    [Fact]
    public void ToTypes_BeforeTheSpan_CountsNeitherThatNorItsUnreportedObject()
    {
        Add(thread: 1, bytes: 24, measured: false);
        Add(thread: 2, bytes: 24, measured: false);
        Add(thread: 2, bytes: 24);
        _totals.Add(Type + 8, thread: 1, bytes: 24, count: 1, measured: false);

        _totals.ToTypes().ShouldBe([new CollectedType(Type, 24, 1)]);
    }

    private void Add(int thread, long bytes, bool measured = true) => _totals.Add(Type, thread, bytes, count: 1, measured);
}
