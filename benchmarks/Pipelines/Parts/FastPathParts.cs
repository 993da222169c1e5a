using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary>
/// Forty distinct types of <see cref="FastPathPart{TTag}"/>. A chain of depth n takes the last n; only these are made, and only their types loaded.
/// </summary>
internal static class FastPathParts
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
        new FastPathPart<P00>(), new FastPathPart<P01>(), new FastPathPart<P02>(), new FastPathPart<P03>(), new FastPathPart<P04>(),
        new FastPathPart<P05>(), new FastPathPart<P06>(), new FastPathPart<P07>(), new FastPathPart<P08>(), new FastPathPart<P09>(),
        new FastPathPart<P10>(), new FastPathPart<P11>(), new FastPathPart<P12>(), new FastPathPart<P13>(), new FastPathPart<P14>(),
        new FastPathPart<P15>(), new FastPathPart<P16>(), new FastPathPart<P17>(), new FastPathPart<P18>(), new FastPathPart<P19>(),
    ];

    private static IBehavior<BenchContext, BenchContext>[] Twenties() =>
    [
        new FastPathPart<P20>(), new FastPathPart<P21>(), new FastPathPart<P22>(), new FastPathPart<P23>(), new FastPathPart<P24>(),
        new FastPathPart<P25>(), new FastPathPart<P26>(), new FastPathPart<P27>(), new FastPathPart<P28>(), new FastPathPart<P29>(),
    ];

    private static IBehavior<BenchContext, BenchContext>[] Thirties() =>
    [
        new FastPathPart<P30>(), new FastPathPart<P31>(), new FastPathPart<P32>(), new FastPathPart<P33>(), new FastPathPart<P34>(),
        new FastPathPart<P35>(), new FastPathPart<P36>(), new FastPathPart<P37>(), new FastPathPart<P38>(), new FastPathPart<P39>(),
    ];
}
