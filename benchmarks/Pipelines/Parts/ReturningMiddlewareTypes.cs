namespace Benchmarks.Pipelines.Parts;

/// <summary>
/// Forty distinct types of <see cref="ReturningMiddleware{TTag}"/>. A chain of depth n takes the last n; only these are made, and only their types loaded.
/// </summary>
internal static class ReturningMiddlewareTypes
{
    public static Type[] Last(int count) => count switch
    {
        10 => Thirties(),
        20 => [.. Twenties(), .. Thirties()],
        40 => [.. Tens(), .. Twenties(), .. Thirties()],
        _ => throw new ArgumentOutOfRangeException(nameof(count), count, "Only the published depths exist."),
    };

    private static Type[] Tens() =>
    [
        typeof(ReturningMiddleware<P00>), typeof(ReturningMiddleware<P01>), typeof(ReturningMiddleware<P02>), typeof(ReturningMiddleware<P03>),
        typeof(ReturningMiddleware<P04>),
        typeof(ReturningMiddleware<P05>), typeof(ReturningMiddleware<P06>), typeof(ReturningMiddleware<P07>), typeof(ReturningMiddleware<P08>),
        typeof(ReturningMiddleware<P09>),
        typeof(ReturningMiddleware<P10>), typeof(ReturningMiddleware<P11>), typeof(ReturningMiddleware<P12>), typeof(ReturningMiddleware<P13>),
        typeof(ReturningMiddleware<P14>),
        typeof(ReturningMiddleware<P15>), typeof(ReturningMiddleware<P16>), typeof(ReturningMiddleware<P17>), typeof(ReturningMiddleware<P18>),
        typeof(ReturningMiddleware<P19>),
    ];

    private static Type[] Twenties() =>
    [
        typeof(ReturningMiddleware<P20>), typeof(ReturningMiddleware<P21>), typeof(ReturningMiddleware<P22>), typeof(ReturningMiddleware<P23>),
        typeof(ReturningMiddleware<P24>),
        typeof(ReturningMiddleware<P25>), typeof(ReturningMiddleware<P26>), typeof(ReturningMiddleware<P27>), typeof(ReturningMiddleware<P28>),
        typeof(ReturningMiddleware<P29>),
    ];

    private static Type[] Thirties() =>
    [
        typeof(ReturningMiddleware<P30>), typeof(ReturningMiddleware<P31>), typeof(ReturningMiddleware<P32>), typeof(ReturningMiddleware<P33>),
        typeof(ReturningMiddleware<P34>),
        typeof(ReturningMiddleware<P35>), typeof(ReturningMiddleware<P36>), typeof(ReturningMiddleware<P37>), typeof(ReturningMiddleware<P38>),
        typeof(ReturningMiddleware<P39>),
    ];
}
