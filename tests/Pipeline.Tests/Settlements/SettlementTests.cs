using Quayside.Pipeline.Settlements;

namespace Pipeline.Tests.Settlements;

public sealed class SettlementTests
{
    // The precedence of settlements when the parts of one message are joined, lowest first.
    private static readonly Settlement[] ByRank =
        [Settlement.Complete, Settlement.DeadLetter("bad", "why"), Settlement.Abandon(TimeSpan.FromSeconds(1)), default];

    public static TheoryData<int, int> Pairs
    {
        get
        {
            TheoryData<int, int> pairs = [];
            for (int first = 0; first < ByRank.Length; first++)
            {
                for (int second = 0; second < ByRank.Length; second++)
                {
                    pairs.Add(first, second);
                }
            }

            return pairs;
        }
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public void Combine_AnyTwo_TheWorseWins(int first, int second) =>
        Settlement.Combine(ByRank[first], ByRank[second]).ShouldBe(ByRank[Math.Max(first, second)]);

    [Fact]
    public void Combine_SameKind_TheFirstStays()
    {
        Settlement.Combine(Settlement.DeadLetter("one", "1"), Settlement.DeadLetter("two", "2")).Reason.ShouldBe("one");
        Settlement.Combine(Settlement.Abandon(TimeSpan.FromSeconds(1)), Settlement.Abandon(TimeSpan.FromSeconds(2))).Delay.ShouldBe(TimeSpan.FromSeconds(1));
    }

    [Fact]
    public void Combine_EveryKind_HasItsPlaceInTheTable() =>
        ByRank.Select(settlement => settlement.Kind).ShouldBe(Enum.GetValues<SettlementKind>(), ignoreOrder: true);
}
