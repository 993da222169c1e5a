using MassTransit;
using BenchBehavior = Pipeline.Behaviors.IBehavior<Benchmarks.Pipelines.BenchContext, Benchmarks.Pipelines.BenchContext>;
using Pipeline.Behaviors;

namespace Benchmarks.Pipelines.Parts;

/// <summary>Forty distinct types of each kind of part. A chain of depth n takes the last n.</summary>
internal static class PartTable
{
    public static BenchBehavior[] ReturningParts { get; } =
    [
        new ReturningPart<P00>(), new ReturningPart<P01>(), new ReturningPart<P02>(), new ReturningPart<P03>(), new ReturningPart<P04>(),
        new ReturningPart<P05>(), new ReturningPart<P06>(), new ReturningPart<P07>(), new ReturningPart<P08>(), new ReturningPart<P09>(),
        new ReturningPart<P10>(), new ReturningPart<P11>(), new ReturningPart<P12>(), new ReturningPart<P13>(), new ReturningPart<P14>(),
        new ReturningPart<P15>(), new ReturningPart<P16>(), new ReturningPart<P17>(), new ReturningPart<P18>(), new ReturningPart<P19>(),
        new ReturningPart<P20>(), new ReturningPart<P21>(), new ReturningPart<P22>(), new ReturningPart<P23>(), new ReturningPart<P24>(),
        new ReturningPart<P25>(), new ReturningPart<P26>(), new ReturningPart<P27>(), new ReturningPart<P28>(), new ReturningPart<P29>(),
        new ReturningPart<P30>(), new ReturningPart<P31>(), new ReturningPart<P32>(), new ReturningPart<P33>(), new ReturningPart<P34>(),
        new ReturningPart<P35>(), new ReturningPart<P36>(), new ReturningPart<P37>(), new ReturningPart<P38>(), new ReturningPart<P39>(),
    ];

    public static BenchBehavior[] PlainParts { get; } =
    [
        new PlainPart<P00>(), new PlainPart<P01>(), new PlainPart<P02>(), new PlainPart<P03>(), new PlainPart<P04>(),
        new PlainPart<P05>(), new PlainPart<P06>(), new PlainPart<P07>(), new PlainPart<P08>(), new PlainPart<P09>(),
        new PlainPart<P10>(), new PlainPart<P11>(), new PlainPart<P12>(), new PlainPart<P13>(), new PlainPart<P14>(),
        new PlainPart<P15>(), new PlainPart<P16>(), new PlainPart<P17>(), new PlainPart<P18>(), new PlainPart<P19>(),
        new PlainPart<P20>(), new PlainPart<P21>(), new PlainPart<P22>(), new PlainPart<P23>(), new PlainPart<P24>(),
        new PlainPart<P25>(), new PlainPart<P26>(), new PlainPart<P27>(), new PlainPart<P28>(), new PlainPart<P29>(),
        new PlainPart<P30>(), new PlainPart<P31>(), new PlainPart<P32>(), new PlainPart<P33>(), new PlainPart<P34>(),
        new PlainPart<P35>(), new PlainPart<P36>(), new PlainPart<P37>(), new PlainPart<P38>(), new PlainPart<P39>(),
    ];

    public static BenchBehavior[] FastPathParts { get; } =
    [
        new FastPathPart<P00>(), new FastPathPart<P01>(), new FastPathPart<P02>(), new FastPathPart<P03>(), new FastPathPart<P04>(),
        new FastPathPart<P05>(), new FastPathPart<P06>(), new FastPathPart<P07>(), new FastPathPart<P08>(), new FastPathPart<P09>(),
        new FastPathPart<P10>(), new FastPathPart<P11>(), new FastPathPart<P12>(), new FastPathPart<P13>(), new FastPathPart<P14>(),
        new FastPathPart<P15>(), new FastPathPart<P16>(), new FastPathPart<P17>(), new FastPathPart<P18>(), new FastPathPart<P19>(),
        new FastPathPart<P20>(), new FastPathPart<P21>(), new FastPathPart<P22>(), new FastPathPart<P23>(), new FastPathPart<P24>(),
        new FastPathPart<P25>(), new FastPathPart<P26>(), new FastPathPart<P27>(), new FastPathPart<P28>(), new FastPathPart<P29>(),
        new FastPathPart<P30>(), new FastPathPart<P31>(), new FastPathPart<P32>(), new FastPathPart<P33>(), new FastPathPart<P34>(),
        new FastPathPart<P35>(), new FastPathPart<P36>(), new FastPathPart<P37>(), new FastPathPart<P38>(), new FastPathPart<P39>(),
    ];

    public static IStep<BenchContext>[] ReturningSteps { get; } =
    [
        new ReturningStep<P00>(), new ReturningStep<P01>(), new ReturningStep<P02>(), new ReturningStep<P03>(), new ReturningStep<P04>(),
        new ReturningStep<P05>(), new ReturningStep<P06>(), new ReturningStep<P07>(), new ReturningStep<P08>(), new ReturningStep<P09>(),
        new ReturningStep<P10>(), new ReturningStep<P11>(), new ReturningStep<P12>(), new ReturningStep<P13>(), new ReturningStep<P14>(),
        new ReturningStep<P15>(), new ReturningStep<P16>(), new ReturningStep<P17>(), new ReturningStep<P18>(), new ReturningStep<P19>(),
        new ReturningStep<P20>(), new ReturningStep<P21>(), new ReturningStep<P22>(), new ReturningStep<P23>(), new ReturningStep<P24>(),
        new ReturningStep<P25>(), new ReturningStep<P26>(), new ReturningStep<P27>(), new ReturningStep<P28>(), new ReturningStep<P29>(),
        new ReturningStep<P30>(), new ReturningStep<P31>(), new ReturningStep<P32>(), new ReturningStep<P33>(), new ReturningStep<P34>(),
        new ReturningStep<P35>(), new ReturningStep<P36>(), new ReturningStep<P37>(), new ReturningStep<P38>(), new ReturningStep<P39>(),
    ];

    public static IStep<BenchContext>[] WrappingSteps { get; } =
    [
        new WrappingStep<P00>(), new WrappingStep<P01>(), new WrappingStep<P02>(), new WrappingStep<P03>(), new WrappingStep<P04>(),
        new WrappingStep<P05>(), new WrappingStep<P06>(), new WrappingStep<P07>(), new WrappingStep<P08>(), new WrappingStep<P09>(),
        new WrappingStep<P10>(), new WrappingStep<P11>(), new WrappingStep<P12>(), new WrappingStep<P13>(), new WrappingStep<P14>(),
        new WrappingStep<P15>(), new WrappingStep<P16>(), new WrappingStep<P17>(), new WrappingStep<P18>(), new WrappingStep<P19>(),
        new WrappingStep<P20>(), new WrappingStep<P21>(), new WrappingStep<P22>(), new WrappingStep<P23>(), new WrappingStep<P24>(),
        new WrappingStep<P25>(), new WrappingStep<P26>(), new WrappingStep<P27>(), new WrappingStep<P28>(), new WrappingStep<P29>(),
        new WrappingStep<P30>(), new WrappingStep<P31>(), new WrappingStep<P32>(), new WrappingStep<P33>(), new WrappingStep<P34>(),
        new WrappingStep<P35>(), new WrappingStep<P36>(), new WrappingStep<P37>(), new WrappingStep<P38>(), new WrappingStep<P39>(),
    ];

    public static IFilter<BenchPipeContext>[] ReturningFilters { get; } =
    [
        new ReturningFilter<P00>(), new ReturningFilter<P01>(), new ReturningFilter<P02>(), new ReturningFilter<P03>(), new ReturningFilter<P04>(),
        new ReturningFilter<P05>(), new ReturningFilter<P06>(), new ReturningFilter<P07>(), new ReturningFilter<P08>(), new ReturningFilter<P09>(),
        new ReturningFilter<P10>(), new ReturningFilter<P11>(), new ReturningFilter<P12>(), new ReturningFilter<P13>(), new ReturningFilter<P14>(),
        new ReturningFilter<P15>(), new ReturningFilter<P16>(), new ReturningFilter<P17>(), new ReturningFilter<P18>(), new ReturningFilter<P19>(),
        new ReturningFilter<P20>(), new ReturningFilter<P21>(), new ReturningFilter<P22>(), new ReturningFilter<P23>(), new ReturningFilter<P24>(),
        new ReturningFilter<P25>(), new ReturningFilter<P26>(), new ReturningFilter<P27>(), new ReturningFilter<P28>(), new ReturningFilter<P29>(),
        new ReturningFilter<P30>(), new ReturningFilter<P31>(), new ReturningFilter<P32>(), new ReturningFilter<P33>(), new ReturningFilter<P34>(),
        new ReturningFilter<P35>(), new ReturningFilter<P36>(), new ReturningFilter<P37>(), new ReturningFilter<P38>(), new ReturningFilter<P39>(),
    ];

    public static IFilter<BenchPipeContext>[] PlainFilters { get; } =
    [
        new PlainFilter<P00>(), new PlainFilter<P01>(), new PlainFilter<P02>(), new PlainFilter<P03>(), new PlainFilter<P04>(),
        new PlainFilter<P05>(), new PlainFilter<P06>(), new PlainFilter<P07>(), new PlainFilter<P08>(), new PlainFilter<P09>(),
        new PlainFilter<P10>(), new PlainFilter<P11>(), new PlainFilter<P12>(), new PlainFilter<P13>(), new PlainFilter<P14>(),
        new PlainFilter<P15>(), new PlainFilter<P16>(), new PlainFilter<P17>(), new PlainFilter<P18>(), new PlainFilter<P19>(),
        new PlainFilter<P20>(), new PlainFilter<P21>(), new PlainFilter<P22>(), new PlainFilter<P23>(), new PlainFilter<P24>(),
        new PlainFilter<P25>(), new PlainFilter<P26>(), new PlainFilter<P27>(), new PlainFilter<P28>(), new PlainFilter<P29>(),
        new PlainFilter<P30>(), new PlainFilter<P31>(), new PlainFilter<P32>(), new PlainFilter<P33>(), new PlainFilter<P34>(),
        new PlainFilter<P35>(), new PlainFilter<P36>(), new PlainFilter<P37>(), new PlainFilter<P38>(), new PlainFilter<P39>(),
    ];

    public static Type[] ReturningMiddleware { get; } =
    [
        typeof(ReturningMiddleware<P00>), typeof(ReturningMiddleware<P01>), typeof(ReturningMiddleware<P02>), typeof(ReturningMiddleware<P03>), typeof(ReturningMiddleware<P04>),
        typeof(ReturningMiddleware<P05>), typeof(ReturningMiddleware<P06>), typeof(ReturningMiddleware<P07>), typeof(ReturningMiddleware<P08>), typeof(ReturningMiddleware<P09>),
        typeof(ReturningMiddleware<P10>), typeof(ReturningMiddleware<P11>), typeof(ReturningMiddleware<P12>), typeof(ReturningMiddleware<P13>), typeof(ReturningMiddleware<P14>),
        typeof(ReturningMiddleware<P15>), typeof(ReturningMiddleware<P16>), typeof(ReturningMiddleware<P17>), typeof(ReturningMiddleware<P18>), typeof(ReturningMiddleware<P19>),
        typeof(ReturningMiddleware<P20>), typeof(ReturningMiddleware<P21>), typeof(ReturningMiddleware<P22>), typeof(ReturningMiddleware<P23>), typeof(ReturningMiddleware<P24>),
        typeof(ReturningMiddleware<P25>), typeof(ReturningMiddleware<P26>), typeof(ReturningMiddleware<P27>), typeof(ReturningMiddleware<P28>), typeof(ReturningMiddleware<P29>),
        typeof(ReturningMiddleware<P30>), typeof(ReturningMiddleware<P31>), typeof(ReturningMiddleware<P32>), typeof(ReturningMiddleware<P33>), typeof(ReturningMiddleware<P34>),
        typeof(ReturningMiddleware<P35>), typeof(ReturningMiddleware<P36>), typeof(ReturningMiddleware<P37>), typeof(ReturningMiddleware<P38>), typeof(ReturningMiddleware<P39>),
    ];

    public static Type[] PlainMiddleware { get; } =
    [
        typeof(PlainMiddleware<P00>), typeof(PlainMiddleware<P01>), typeof(PlainMiddleware<P02>), typeof(PlainMiddleware<P03>), typeof(PlainMiddleware<P04>),
        typeof(PlainMiddleware<P05>), typeof(PlainMiddleware<P06>), typeof(PlainMiddleware<P07>), typeof(PlainMiddleware<P08>), typeof(PlainMiddleware<P09>),
        typeof(PlainMiddleware<P10>), typeof(PlainMiddleware<P11>), typeof(PlainMiddleware<P12>), typeof(PlainMiddleware<P13>), typeof(PlainMiddleware<P14>),
        typeof(PlainMiddleware<P15>), typeof(PlainMiddleware<P16>), typeof(PlainMiddleware<P17>), typeof(PlainMiddleware<P18>), typeof(PlainMiddleware<P19>),
        typeof(PlainMiddleware<P20>), typeof(PlainMiddleware<P21>), typeof(PlainMiddleware<P22>), typeof(PlainMiddleware<P23>), typeof(PlainMiddleware<P24>),
        typeof(PlainMiddleware<P25>), typeof(PlainMiddleware<P26>), typeof(PlainMiddleware<P27>), typeof(PlainMiddleware<P28>), typeof(PlainMiddleware<P29>),
        typeof(PlainMiddleware<P30>), typeof(PlainMiddleware<P31>), typeof(PlainMiddleware<P32>), typeof(PlainMiddleware<P33>), typeof(PlainMiddleware<P34>),
        typeof(PlainMiddleware<P35>), typeof(PlainMiddleware<P36>), typeof(PlainMiddleware<P37>), typeof(PlainMiddleware<P38>), typeof(PlainMiddleware<P39>),
    ];
}
