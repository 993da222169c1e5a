using MassTransit;

namespace Benchmarks.Pipelines.Parts;

/// <summary>
/// Forty distinct types of <see cref="ReturningFilter{TTag}"/>. A chain of depth n takes the last n; only these are made, and only their types loaded.
/// </summary>
internal static class ReturningFilters
{
    public static IFilter<BenchPipeContext>[] Last(int count) => count switch
    {
        10 => Thirties(),
        20 => [.. Twenties(), .. Thirties()],
        40 => [.. Tens(), .. Twenties(), .. Thirties()],
        _ => throw new ArgumentOutOfRangeException(nameof(count), count, "Only the published depths exist."),
    };

    private static IFilter<BenchPipeContext>[] Tens() =>
    [
        new ReturningFilter<P00>(), new ReturningFilter<P01>(), new ReturningFilter<P02>(), new ReturningFilter<P03>(), new ReturningFilter<P04>(),
        new ReturningFilter<P05>(), new ReturningFilter<P06>(), new ReturningFilter<P07>(), new ReturningFilter<P08>(), new ReturningFilter<P09>(),
        new ReturningFilter<P10>(), new ReturningFilter<P11>(), new ReturningFilter<P12>(), new ReturningFilter<P13>(), new ReturningFilter<P14>(),
        new ReturningFilter<P15>(), new ReturningFilter<P16>(), new ReturningFilter<P17>(), new ReturningFilter<P18>(), new ReturningFilter<P19>(),
    ];

    private static IFilter<BenchPipeContext>[] Twenties() =>
    [
        new ReturningFilter<P20>(), new ReturningFilter<P21>(), new ReturningFilter<P22>(), new ReturningFilter<P23>(), new ReturningFilter<P24>(),
        new ReturningFilter<P25>(), new ReturningFilter<P26>(), new ReturningFilter<P27>(), new ReturningFilter<P28>(), new ReturningFilter<P29>(),
    ];

    private static IFilter<BenchPipeContext>[] Thirties() =>
    [
        new ReturningFilter<P30>(), new ReturningFilter<P31>(), new ReturningFilter<P32>(), new ReturningFilter<P33>(), new ReturningFilter<P34>(),
        new ReturningFilter<P35>(), new ReturningFilter<P36>(), new ReturningFilter<P37>(), new ReturningFilter<P38>(), new ReturningFilter<P39>(),
    ];
}
