using MassTransit;

namespace Benchmarks.Pipelines.Parts;

/// <summary>
/// Forty distinct types of <see cref="PlainFilter{TTag}"/>. A chain of depth n takes the last n; only these are made, and only their types loaded.
/// </summary>
internal static class PlainFilters
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
        new PlainFilter<P00>(), new PlainFilter<P01>(), new PlainFilter<P02>(), new PlainFilter<P03>(), new PlainFilter<P04>(),
        new PlainFilter<P05>(), new PlainFilter<P06>(), new PlainFilter<P07>(), new PlainFilter<P08>(), new PlainFilter<P09>(),
        new PlainFilter<P10>(), new PlainFilter<P11>(), new PlainFilter<P12>(), new PlainFilter<P13>(), new PlainFilter<P14>(),
        new PlainFilter<P15>(), new PlainFilter<P16>(), new PlainFilter<P17>(), new PlainFilter<P18>(), new PlainFilter<P19>(),
    ];

    private static IFilter<BenchPipeContext>[] Twenties() =>
    [
        new PlainFilter<P20>(), new PlainFilter<P21>(), new PlainFilter<P22>(), new PlainFilter<P23>(), new PlainFilter<P24>(),
        new PlainFilter<P25>(), new PlainFilter<P26>(), new PlainFilter<P27>(), new PlainFilter<P28>(), new PlainFilter<P29>(),
    ];

    private static IFilter<BenchPipeContext>[] Thirties() =>
    [
        new PlainFilter<P30>(), new PlainFilter<P31>(), new PlainFilter<P32>(), new PlainFilter<P33>(), new PlainFilter<P34>(),
        new PlainFilter<P35>(), new PlainFilter<P36>(), new PlainFilter<P37>(), new PlainFilter<P38>(), new PlainFilter<P39>(),
    ];
}
