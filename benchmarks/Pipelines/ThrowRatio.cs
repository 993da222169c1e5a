using System.Diagnostics;
using System.Globalization;
using Benchmarks.Interleaved;
using Benchmarks.Pipelines.Chains;

namespace Benchmarks.Pipelines;

/// <summary>Fused alternating with Expression, where the innermost part throws before anything suspends.</summary>
internal static class ThrowRatio
{
    /// <summary>First argument of the process that measures one depth; the second is the depth.</summary>
    public const string Verb = "throws-child";

    private const int MessagesPerTurn = 200;
    private const int WarmUpTurns = 400;

    private static readonly string[] Depths = ["10", "20", "40"];

    /// <summary>Measures every depth and prints a row for each.</summary>
    public static Task<int> RunAsync(RatioOptions options, CancellationToken cancellationToken) =>
        new RatioTable(Verb, "depth", nameof(Variant.Expression), nameof(Variant.Fused)).RunAsync(Depths, options, cancellationToken);

    /// <summary>Measures one depth and prints <see cref="TurnMedians"/>.</summary>
    public static int RunChild(string depthText, string turns)
    {
        int depth = int.Parse(depthText, CultureInfo.InvariantCulture);
        VariantCheck.AllAgree(Scenario.ThrowingSynchronously, depth);
        ChainDriver expression = new(Variant.Expression, Scenario.ThrowingSynchronously, depth, inFlight: 1);
        ChainDriver fused = new(Variant.Fused, Scenario.ThrowingSynchronously, depth, inFlight: 1);
        Console.Out.WriteLine(Turns.Measure(() => Throw(expression), () => Throw(fused), WarmUpTurns, int.Parse(turns, CultureInfo.InvariantCulture)));
        return 0;
    }

    /// <returns>Nanoseconds per message.</returns>
    private static double Throw(ChainDriver driver)
    {
        long started = Stopwatch.GetTimestamp();
        for (int message = 0; message < MessagesPerTurn; message++)
        {
            driver.Run();
        }

        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / MessagesPerTurn;
    }
}
