using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary>
/// Forty distinct types of <see cref="PlainPart{TTag}"/>. A chain of depth n takes the last n; only these are made, and only their types loaded.
/// </summary>
internal static class PlainParts
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
        new PlainPart<P00>(), new PlainPart<P01>(), new PlainPart<P02>(), new PlainPart<P03>(), new PlainPart<P04>(),
        new PlainPart<P05>(), new PlainPart<P06>(), new PlainPart<P07>(), new PlainPart<P08>(), new PlainPart<P09>(),
        new PlainPart<P10>(), new PlainPart<P11>(), new PlainPart<P12>(), new PlainPart<P13>(), new PlainPart<P14>(),
        new PlainPart<P15>(), new PlainPart<P16>(), new PlainPart<P17>(), new PlainPart<P18>(), new PlainPart<P19>(),
    ];

    private static IBehavior<BenchContext, BenchContext>[] Twenties() =>
    [
        new PlainPart<P20>(), new PlainPart<P21>(), new PlainPart<P22>(), new PlainPart<P23>(), new PlainPart<P24>(),
        new PlainPart<P25>(), new PlainPart<P26>(), new PlainPart<P27>(), new PlainPart<P28>(), new PlainPart<P29>(),
    ];

    private static IBehavior<BenchContext, BenchContext>[] Thirties() =>
    [
        new PlainPart<P30>(), new PlainPart<P31>(), new PlainPart<P32>(), new PlainPart<P33>(), new PlainPart<P34>(),
        new PlainPart<P35>(), new PlainPart<P36>(), new PlainPart<P37>(), new PlainPart<P38>(), new PlainPart<P39>(),
    ];
}
