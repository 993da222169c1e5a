using Benchmarks.Interleaved;

namespace Benchmarks.Tests.Interleaved;

/// <summary>The arithmetic of the interleaved comparisons: keys and throws.</summary>
public sealed class TurnMediansTests
{
    [Fact]
    public void Of_Turns_TakesTheMedianOfTheRatios()
    {
        TurnMedians medians = TurnMedians.Of([100, 400, 200], [300, 400, 100]);

        medians.ShouldBe(new TurnMedians(200, 300, 1));
    }

    [Fact]
    public void Of_OneDisturbedTurn_DoesNotMoveTheRatio() =>
        TurnMedians.Of([100, 100, 900, 100, 100], [90, 90, 90, 90, 5_000]).Ratio.ShouldBe(0.9, tolerance: 1e-9);

    [Fact]
    public void Parse_WhatToStringWrote_IsTheSame() =>
        TurnMedians.Parse(new TurnMedians(331.5, 298.1, 0.8993).ToString()).ShouldBe(new TurnMedians(331.5, 298.1, 0.8993));

    [Fact]
    public void Measure_TwoSubjects_TakeTurnsAndTheWarmUpDoesNotCount()
    {
        List<string> order = [];
        TurnMedians medians = Turns.Measure(() => Run("a", 10), () => Run("b", 20), warmUp: 2, turns: 3);

        order.ShouldBe(["a", "b", "a", "b", "a", "b", "a", "b", "a", "b"]);
        medians.ShouldBe(new TurnMedians(10, 20, 2));

        double Run(string name, double nanoseconds)
        {
            order.Add(name);
            return order.Count <= 4 ? 1_000_000 : nanoseconds;
        }
    }
}
