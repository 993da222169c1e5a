namespace Benchmarks.Pipelines.Parts;

/// <summary>
/// Forty distinct types of <see cref="PlainMiddleware{TTag}"/>. A chain of depth n takes the last n; only these are made, and only their types loaded.
/// </summary>
internal static class PlainMiddlewareTypes
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
        typeof(PlainMiddleware<P00>), typeof(PlainMiddleware<P01>), typeof(PlainMiddleware<P02>), typeof(PlainMiddleware<P03>), typeof(PlainMiddleware<P04>),
        typeof(PlainMiddleware<P05>), typeof(PlainMiddleware<P06>), typeof(PlainMiddleware<P07>), typeof(PlainMiddleware<P08>), typeof(PlainMiddleware<P09>),
        typeof(PlainMiddleware<P10>), typeof(PlainMiddleware<P11>), typeof(PlainMiddleware<P12>), typeof(PlainMiddleware<P13>), typeof(PlainMiddleware<P14>),
        typeof(PlainMiddleware<P15>), typeof(PlainMiddleware<P16>), typeof(PlainMiddleware<P17>), typeof(PlainMiddleware<P18>), typeof(PlainMiddleware<P19>),
    ];

    private static Type[] Twenties() =>
    [
        typeof(PlainMiddleware<P20>), typeof(PlainMiddleware<P21>), typeof(PlainMiddleware<P22>), typeof(PlainMiddleware<P23>), typeof(PlainMiddleware<P24>),
        typeof(PlainMiddleware<P25>), typeof(PlainMiddleware<P26>), typeof(PlainMiddleware<P27>), typeof(PlainMiddleware<P28>), typeof(PlainMiddleware<P29>),
    ];

    private static Type[] Thirties() =>
    [
        typeof(PlainMiddleware<P30>), typeof(PlainMiddleware<P31>), typeof(PlainMiddleware<P32>), typeof(PlainMiddleware<P33>), typeof(PlainMiddleware<P34>),
        typeof(PlainMiddleware<P35>), typeof(PlainMiddleware<P36>), typeof(PlainMiddleware<P37>), typeof(PlainMiddleware<P38>), typeof(PlainMiddleware<P39>),
    ];
}
