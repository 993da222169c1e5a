using System.Globalization;
using Messaging.Telemetry;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Messaging.CommandLine.Top;

/// <summary>Draws a worker's state as a table. What comes from the worker is shown as text, never as markup or control characters.</summary>
internal static class TopScreen
{
    private static readonly string[] Columns = ["Route", "State", "Received/s", "Done/s", "Received", "Done", "Dead letters", "In flight", "Oldest", "p50", "p99", "Store p50", "Store p99"];

    public static IRenderable Draw(WorkerView worker)
    {
        Table table = new() { Border = TableBorder.Simple };
        foreach (string column in Columns)
        {
            // Where the line is too short, the route's name wraps, and no figure.
            table.AddColumn(new TableColumn(new Text(column)) { NoWrap = column != "Route", Alignment = column is "Route" or "State" ? Justify.Left : Justify.Right });
        }

        foreach (RouteView route in worker.Routes)
        {
            Style state = new(route.IsReady ? Color.Green : Color.Red);
            table.AddRow(
                Plain($"{route.Name}: {route.Path}"),
                new Text(route.State, state),
                Plain(Rate(route.Received)),
                Plain(Rate(route.Done)),
                Plain(Count(route.TotalReceived)),
                Plain(Count(route.TotalDone)),
                new Text(Count(route.DeadLetters), new Style(route.DeadLetters > 0 ? Color.Yellow : Color.Default)),
                Plain(route.Load),
                Plain(route.OldestAgeSeconds > 0 ? DurationText.Of(TimeSpan.FromSeconds(route.OldestAgeSeconds)) : "-"),
                Plain(Time(route.Process?.P50)),
                Plain(Time(route.Process?.P99)),
                Plain(Time(route.Store?.P50)),
                Plain(Time(route.Store?.P99)));
        }

        return new Rows([
            Plain($"{worker.Title}, up {DurationText.Of(worker.Uptime)}{(worker.IsStopping ? ", stopping" : string.Empty)}, {worker.Time.UtcDateTime:HH:mm:ss} UTC"),
            Plain($"processor {(worker.Cores is { } cores ? $"{cores * 100:0} % of a core" : "-")}, allocated {(worker.BytesPerMessage is { } bytes ? $"{bytes:N0} B/message" : "-")}, GC pauses {(worker.GcPauses is { } pauses ? $"{pauses * 1_000:0.0} ms/s" : "-")}"),
            table,
            .. worker.Routes.SelectMany(route => route.Problems.Select(problem => new Text($"{route.Name}: {UntrustedText.Shorten(problem)}", new Style(Color.Yellow)))),
        ]);
    }

    /// <summary>The last state of a worker that does not answer.</summary>
    public static IRenderable Gone(WorkerView last, string why) => new Rows(new Text(UntrustedText.Shorten(why), new Style(Color.Red)), Plain("What it was:"), Draw(last));

    private static Text Plain(string text) => new(UntrustedText.Shorten(text));

    private static string Rate(double? perSecond) => perSecond is { } rate ? rate.ToString(rate < 10 ? "0.0" : "N0", CultureInfo.InvariantCulture) : "-";

    private static string Count(long count) => count.ToString("N0", CultureInfo.InvariantCulture);

    private static string Time(double? seconds) => seconds switch
    {
        null => "-",
        < 0.001 => string.Create(CultureInfo.InvariantCulture, $"{seconds * 1_000_000:0} µs"),
        < 0.1 => string.Create(CultureInfo.InvariantCulture, $"{seconds * 1_000:0.0} ms"),
        _ => DurationText.Of(TimeSpan.FromSeconds(seconds.Value)),
    };
}
