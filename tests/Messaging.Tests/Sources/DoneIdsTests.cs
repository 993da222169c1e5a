using Quayside.Messaging.Sources;

namespace Messaging.Tests.Sources;

public sealed class DoneIdsTests
{
    [Fact]
    public void Add_MoreThanTheCapacity_ForgetsTheOldestFirst()
    {
        DoneIds<Guid> done = new(3);
        Guid[] ids = [.. Enumerable.Range(0, 100).Select(_ => Guid.NewGuid())];

        for (int i = 0; i < ids.Length; i++)
        {
            done.Add(ids[i]);
            ids.Count(done.Contains).ShouldBe(Math.Min(i + 1, 3));
            ids[Math.Max(0, i - 2)..(i + 1)].ShouldAllBe(id => done.Contains(id));
        }
    }

    [Fact]
    public void Add_KnownId_EvictsNoOther()
    {
        DoneIds<Guid> done = new(2);
        (Guid a, Guid b) = (Guid.NewGuid(), Guid.NewGuid());
        done.Add(a);
        done.Add(b);

        for (int i = 0; i < 10; i++)
        {
            done.Add(b);
        }

        done.Contains(a).ShouldBeTrue();
        done.Contains(b).ShouldBeTrue();
    }

    [Fact]
    public void Add_NoCapacity_RemembersNothing()
    {
        DoneIds<Guid> done = new(0);
        Guid id = Guid.NewGuid();

        done.Add(id);

        done.Contains(id).ShouldBeFalse();
    }

    [Fact]
    public void Add_ManyThreads_StaysBounded()
    {
        DoneIds<Guid> done = new(50);
        Guid[] ids = [.. Enumerable.Range(0, 5_000).Select(_ => Guid.NewGuid())];

        Parallel.ForEach(ids, done.Add);

        ids.Count(done.Contains).ShouldBe(50);
    }
}
