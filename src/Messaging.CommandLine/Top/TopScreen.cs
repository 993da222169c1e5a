using System.Globalization;
using Quayside.Messaging.Http.Web.Api;
using Quayside.Messaging.Telemetry;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Quayside.Messaging.CommandLine.Top;

/// <summary>Draws a worker's state as a table. Text from the worker is shown as text, never as markup or control characters.</summary>
internal static class TopScreen
{
    // FromWidth is the narrowest line that has the column, so that no figure wraps.
    private static readonly (string Name, int FromWidth, Func<RouteView, Text> Cell)[] Columns =
    [
        ("Route", 0, static route => Plain(route.Name)),
        ("State", 0, static route => new Text(route.State, new Style(!route.IsReady ? Color.Red : route.IsPaused ? Color.Yellow : Color.Green))),
        ("Path", 190, static route => Plain(route.Path)),
        ("Received/s", 0, static route => Plain(Rate(route.Received))),
        ("Done/s", 0, static route => Plain(Rate(route.Done))),
        ("Received", 120, static route => Plain(Count(route.TotalReceived))),
        ("Done", 120, static route => Plain(Count(route.TotalDone))),
        ("Dead letters", 0, static route => new Text(Count(route.DeadLetters), new Style(route.DeadLetters > 0 ? Color.Yellow : Color.Default))),
        ("In flight", 100, static route => Plain(route.Load)),
        ("Oldest", 90, static route => Plain(route.OldestAgeSeconds > 0 ? DurationText.Of(TimeSpan.FromSeconds(route.OldestAgeSeconds)) : "-")),
        ("Refused/s", 110, static route => Plain(Rate(route.Refused))),
        ("p50", 140, static route => Plain(Time(route.Process?.P50))),
        ("p99", 0, static route => Plain(Time(route.Process?.P99))),
        ("Store p50", 160, static route => Plain(Time(route.Store?.P50))),
        ("Store p99", 160, static route => Plain(Time(route.Store?.P99))),
    ];

    private static readonly (string Name, Func<PeerState, Text> Cell)[] PeerColumns =
    [
        ("Worker", static peer => Plain(peer.Machine is { } machine ? $"{peer.Address}, {machine}" : peer.Address)),
        ("State", static peer => peer.Error is { } error ? Coloured(error, Color.Red) : peer.Problems.Count > 0 ? Coloured(string.Join("; ", peer.Problems), Color.Yellow) : Coloured("ready", Color.Green)),
        ("Received/s", static peer => Plain(Rate(peer.ReceivedPerSecond))),
        ("Done/s", static peer => Plain(Rate(peer.DonePerSecond))),
        ("In flight", static peer => Plain(peer.InFlight is { } inFlight ? Count(inFlight) : "-")),
    ];

    /// <param name="worker">The state.</param>
    /// <param name="peers">All workers of <c>Hosting:Peers</c>; null when they are not known.</param>
    /// <param name="width">Characters per line.</param>
    public static IRenderable Draw(WorkerView worker, PeersState? peers, int width)
    {
        Table table = new() { Border = TableBorder.Simple };
        (string Name, int FromWidth, Func<RouteView, Text> Cell)[] columns = [.. Columns.Where(column => column.FromWidth <= width)];
        foreach ((string name, _, _) in columns)
        {
            table.AddColumn(new TableColumn(new Text(name)) { NoWrap = name != "Route", Alignment = name is "Route" or "State" or "Path" ? Justify.Left : Justify.Right });
        }

        foreach (RouteView route in worker.Routes)
        {
            table.AddRow(columns.Select(column => column.Cell(route)));
        }

        return new Rows([
            Plain($"{worker.Title}, up {DurationText.Of(worker.Uptime)}{(worker.IsStopping ? ", stopping" : string.Empty)}, {worker.Time:HH:mm:ss} UTC"),
            Plain($"processor {(worker.Cores is { } cores ? $"{cores * 100:0} % of a core" : "-")}, allocated {(worker.BytesPerMessage is { } bytes ? $"{bytes:N0} B/message" : "-")}, GC pauses {(worker.GcPauses is { } pauses ? $"{pauses * 1_000:0.0} ms/s" : "-")}"),
            table,
            .. worker.Problems.SelectMany(DrawProblem),
            .. worker.Notes.Select(static note => Coloured(note, Color.Yellow)),
            .. peers is { Workers.Count: > 0 } ? [DrawPeers(peers)] : (IRenderable[])[],
        ]);
    }

    /// <summary>Draws the last state of a worker that does not answer.</summary>
    public static IRenderable Gone(WorkerView last, string why, int width) => new Rows(Coloured(why, Color.Red), Plain("Last state:"), Draw(last, peers: null, width));

    /// <summary>What it is, then why, whom it affects, and what to do with which setting or command.</summary>
    private static IEnumerable<IRenderable> DrawProblem(ProblemState problem)
    {
        yield return Coloured(problem.Title, problem.Tone switch { "bad" => Color.Red, "warn" => Color.Yellow, _ => Color.Default });
        foreach (string line in (string[])[.. problem.Details, problem.Effect, problem.Action, .. problem.How.Split('\n')])
        {
            yield return Plain($"  {line}");
        }
    }

    private static Table DrawPeers(PeersState peers)
    {
        Table table = new() { Border = TableBorder.Simple };
        foreach ((string name, _) in PeerColumns)
        {
            table.AddColumn(new TableColumn(new Text(name)) { NoWrap = name is not ("Worker" or "State"), Alignment = name is "Worker" or "State" ? Justify.Left : Justify.Right });
        }

        foreach (PeerState peer in peers.Workers)
        {
            table.AddRow(PeerColumns.Select(column => column.Cell(peer)));
        }

        return table.AddRow(Plain("All"), Plain(peers.NotAnswering > 0 ? $"{peers.NotAnswering} of {peers.Workers.Count} do not answer" : string.Empty), Plain(Rate(peers.ReceivedPerSecond)), Plain(Rate(peers.DonePerSecond)), Plain(string.Empty));
    }

    private static Text Coloured(string text, Color color) => new(UntrustedText.Shorten(text), new Style(color));

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
