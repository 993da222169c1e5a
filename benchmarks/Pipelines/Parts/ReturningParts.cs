using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary>
/// Forty distinct types of <see cref="ReturningPart{TTag}"/>. A chain of depth n takes the last n; only these are made, and only their types loaded.
/// </summary>
internal static class ReturningParts
{
    public static IBehavior<BenchContext, BenchContext>[] Last(int count) => count switch
    {
        10 => Thirties(),
        20 => [.. Twenties(), .. Thirties()],
        40 => [.. Tens(), .. Twenties(), .. Thirties()],
        _ => throw new ArgumentOutOfRangeException(nameof(count), count, "Only the published depths exist."),
    };

    private static IBehavior<BenchContext, BenchContext>[] Tens() =>
    [
        new ReturningPart<P00>(), new ReturningPart<P01>(), new ReturningPart<P02>(), new ReturningPart<P03>(), new ReturningPart<P04>(),
        new ReturningPart<P05>(), new ReturningPart<P06>(), new ReturningPart<P07>(), new ReturningPart<P08>(), new ReturningPart<P09>(),
        new ReturningPart<P10>(), new ReturningPart<P11>(), new ReturningPart<P12>(), new ReturningPart<P13>(), new ReturningPart<P14>(),
        new ReturningPart<P15>(), new ReturningPart<P16>(), new ReturningPart<P17>(), new ReturningPart<P18>(), new ReturningPart<P19>(),
    ];

    private static IBehavior<BenchContext, BenchContext>[] Twenties() =>
    [
        new ReturningPart<P20>(), new ReturningPart<P21>(), new ReturningPart<P22>(), new ReturningPart<P23>(), new ReturningPart<P24>(),
        new ReturningPart<P25>(), new ReturningPart<P26>(), new ReturningPart<P27>(), new ReturningPart<P28>(), new ReturningPart<P29>(),
    ];

    private static IBehavior<BenchContext, BenchContext>[] Thirties() =>
    [
        new ReturningPart<P30>(), new ReturningPart<P31>(), new ReturningPart<P32>(), new ReturningPart<P33>(), new ReturningPart<P34>(),
        new ReturningPart<P35>(), new ReturningPart<P36>(), new ReturningPart<P37>(), new ReturningPart<P38>(), new ReturningPart<P39>(),
    ];
}
