using System.Diagnostics;
using System.Globalization;
using Benchmarks.Pipelines;
using Benchmarks.Pipelines.Chains;

namespace Benchmarks.Cold;

/// <summary>One fresh process: composes a chain, sends one message and prints how long that took.</summary>
internal static class ColdChild
{
    /// <param name="args">cold-child, variant, depth.</param>
    public static int Run(string[] args)
    {
        Variant variant = Enum.Parse<Variant>(args[1]);
        int depth = int.Parse(args[2], CultureInfo.InvariantCulture);
        long started = Stopwatch.GetTimestamp();
        int sum = new ChainDriver(variant, Scenario.Awaiting, depth, inFlight: 1).Run();
        TimeSpan took = Stopwatch.GetElapsedTime(started);
        Console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{took.TotalMicroseconds:F0} {sum}"));
        return 0;
    }
}
