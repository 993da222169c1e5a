using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary>
/// Forty distinct types of <see cref="RuntimePooledPart{TTag}"/>. A chain of depth n takes the last n; only these are made, and only their types loaded.
/// </summary>
internal static class RuntimePooledParts
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
        new RuntimePooledPart<P00>(), new RuntimePooledPart<P01>(), new RuntimePooledPart<P02>(), new RuntimePooledPart<P03>(), new RuntimePooledPart<P04>(),
        new RuntimePooledPart<P05>(), new RuntimePooledPart<P06>(), new RuntimePooledPart<P07>(), new RuntimePooledPart<P08>(), new RuntimePooledPart<P09>(),
        new RuntimePooledPart<P10>(), new RuntimePooledPart<P11>(), new RuntimePooledPart<P12>(), new RuntimePooledPart<P13>(), new RuntimePooledPart<P14>(),
        new RuntimePooledPart<P15>(), new RuntimePooledPart<P16>(), new RuntimePooledPart<P17>(), new RuntimePooledPart<P18>(), new RuntimePooledPart<P19>(),
    ];

    private static IBehavior<BenchContext, BenchContext>[] Twenties() =>
    [
        new RuntimePooledPart<P20>(), new RuntimePooledPart<P21>(), new RuntimePooledPart<P22>(), new RuntimePooledPart<P23>(), new RuntimePooledPart<P24>(),
        new RuntimePooledPart<P25>(), new RuntimePooledPart<P26>(), new RuntimePooledPart<P27>(), new RuntimePooledPart<P28>(), new RuntimePooledPart<P29>(),
    ];

    private static IBehavior<BenchContext, BenchContext>[] Thirties() =>
    [
        new RuntimePooledPart<P30>(), new RuntimePooledPart<P31>(), new RuntimePooledPart<P32>(), new RuntimePooledPart<P33>(), new RuntimePooledPart<P34>(),
        new RuntimePooledPart<P35>(), new RuntimePooledPart<P36>(), new RuntimePooledPart<P37>(), new RuntimePooledPart<P38>(), new RuntimePooledPart<P39>(),
    ];
}
