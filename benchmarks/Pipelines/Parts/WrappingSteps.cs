using Quayside.Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary>
/// Forty distinct types of <see cref="WrappingStep{TTag}"/>. A chain of depth n takes the last n; only these are made, and only their types loaded.
/// </summary>
internal static class WrappingSteps
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
        new WrappingStep<P00>(), new WrappingStep<P01>(), new WrappingStep<P02>(), new WrappingStep<P03>(), new WrappingStep<P04>(),
        new WrappingStep<P05>(), new WrappingStep<P06>(), new WrappingStep<P07>(), new WrappingStep<P08>(), new WrappingStep<P09>(),
        new WrappingStep<P10>(), new WrappingStep<P11>(), new WrappingStep<P12>(), new WrappingStep<P13>(), new WrappingStep<P14>(),
        new WrappingStep<P15>(), new WrappingStep<P16>(), new WrappingStep<P17>(), new WrappingStep<P18>(), new WrappingStep<P19>(),
    ];

    private static IStep<BenchContext>[] Twenties() =>
    [
        new WrappingStep<P20>(), new WrappingStep<P21>(), new WrappingStep<P22>(), new WrappingStep<P23>(), new WrappingStep<P24>(),
        new WrappingStep<P25>(), new WrappingStep<P26>(), new WrappingStep<P27>(), new WrappingStep<P28>(), new WrappingStep<P29>(),
    ];

    private static IStep<BenchContext>[] Thirties() =>
    [
        new WrappingStep<P30>(), new WrappingStep<P31>(), new WrappingStep<P32>(), new WrappingStep<P33>(), new WrappingStep<P34>(),
        new WrappingStep<P35>(), new WrappingStep<P36>(), new WrappingStep<P37>(), new WrappingStep<P38>(), new WrappingStep<P39>(),
    ];
}
