using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary>
/// Forty distinct types of <see cref="ReturningStep{TTag}"/>. A chain of depth n takes the last n; only these are made, and only their types loaded.
/// </summary>
internal static class ReturningSteps
{
    public static IStep<BenchContext>[] Last(int count) => count switch
    {
        10 => Thirties(),
        20 => [.. Twenties(), .. Thirties()],
        40 => [.. Tens(), .. Twenties(), .. Thirties()],
        _ => throw new ArgumentOutOfRangeException(nameof(count), count, "Only the published depths exist."),
    };

    private static IStep<BenchContext>[] Tens() =>
    [
        new ReturningStep<P00>(), new ReturningStep<P01>(), new ReturningStep<P02>(), new ReturningStep<P03>(), new ReturningStep<P04>(),
        new ReturningStep<P05>(), new ReturningStep<P06>(), new ReturningStep<P07>(), new ReturningStep<P08>(), new ReturningStep<P09>(),
        new ReturningStep<P10>(), new ReturningStep<P11>(), new ReturningStep<P12>(), new ReturningStep<P13>(), new ReturningStep<P14>(),
        new ReturningStep<P15>(), new ReturningStep<P16>(), new ReturningStep<P17>(), new ReturningStep<P18>(), new ReturningStep<P19>(),
    ];

    private static IStep<BenchContext>[] Twenties() =>
    [
        new ReturningStep<P20>(), new ReturningStep<P21>(), new ReturningStep<P22>(), new ReturningStep<P23>(), new ReturningStep<P24>(),
        new ReturningStep<P25>(), new ReturningStep<P26>(), new ReturningStep<P27>(), new ReturningStep<P28>(), new ReturningStep<P29>(),
    ];

    private static IStep<BenchContext>[] Thirties() =>
    [
        new ReturningStep<P30>(), new ReturningStep<P31>(), new ReturningStep<P32>(), new ReturningStep<P33>(), new ReturningStep<P34>(),
        new ReturningStep<P35>(), new ReturningStep<P36>(), new ReturningStep<P37>(), new ReturningStep<P38>(), new ReturningStep<P39>(),
    ];
}
