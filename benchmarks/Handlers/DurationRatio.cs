using System.Globalization;
using Benchmarks.Interleaved;
using Benchmarks.Keys;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Http.Web.Metrics;

namespace Benchmarks.Handlers;

/// <summary>
/// Processor time of a message from the channel to the archive and the sink Memory while the histograms of /metrics are recorded, alternating
/// with one while nothing listens.
/// </summary>
internal static class DurationRatio
{
    /// <summary>First argument of the process that measures; the name of the only case and the number of turns follow.</summary>
    public const string Verb = "durations-child";

    private const string Case = "channel";
    private const int WarmUpTurns = 100;

    /// <summary>Measures and prints a row.</summary>
    public static Task<int> RunAsync(RatioOptions options, CancellationToken cancellationToken) =>
        new RatioTable(Verb, "source", "unread", "recorded").RunAsync([Case], options, cancellationToken);

    /// <summary>Measures in this process and prints <see cref="TurnMedians"/>.</summary>
    public static async Task<int> RunChildAsync(string turns)
    {
        using IHost host = TypedRatio.Build();
        await host.StartAsync();
        byte[] body = KeyInput.Bytes();
        TurnMedians medians = Turns.Measure(
            () => TypedRatio.Route(host, TypedRatio.Archive, body),
            () => Recorded(host, body),
            WarmUpTurns,
            int.Parse(turns, CultureInfo.InvariantCulture));
        await host.StopAsync();
        Console.Out.WriteLine(medians);
        return 0;
    }

    private static double Recorded(IHost host, byte[] body)
    {
        using MetricStore metrics = new(TimeProvider.System, [], NullLogger<MetricStore>.Instance);
        metrics.RecordHistograms();
        return TypedRatio.Route(host, TypedRatio.Archive, body);
    }
}
