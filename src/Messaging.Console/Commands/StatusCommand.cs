using System.CommandLine;
using System.Globalization;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Console.Commands;

/// <summary><c>status</c>: prints the state of a running worker as plain text, from its API: a line per route, then the problems with what to do.</summary>
internal static class StatusCommand
{
    // A longer name of a route would push the figures out of a narrow terminal.
    private const int MaxCell = 32;

    private static readonly string[] Header = ["Route", "State", "Received", "Done", "In flight", "Held", "Returned", "Dead letters"];

    public static Command Create(CommandContext context)
    {
        Option<bool> json = DeadLettersCommand.CreateJson();
        return WorkerConnection.Asking(
            new Command("status", "Print what a running worker does; exit 1 when a route is not ready, 69 when it does not answer.") { json },
            context,
            (worker, parsed, end) => PrintAsync(worker, parsed.GetValue(json), end));
    }

    private static async Task<int> PrintAsync(WorkerConnection worker, bool json, CancellationToken cancellationToken)
    {
        WorkerState state = await worker.GetAsync("/api/v1/stats", ApiJson.Stats.WorkerState, cancellationToken);
        if (json)
        {
            // As the worker sent it: what is read here leaves out the calls.
            System.Console.Out.WriteLine((await worker.ReadAsync("/api/v1/stats", cancellationToken)).Text);
        }
        else
        {
            foreach (string line in LinesOf(state))
            {
                System.Console.Out.WriteLine(line);
            }
        }

        return !state.Stopping && state.Routes.All(static route => route.IsReady) ? ExitCodes.Success : ExitCodes.Incomplete;
    }

    /// <summary>The page, a line each. Text from the worker is escaped: it cannot control a terminal.</summary>
    internal static IEnumerable<string> LinesOf(WorkerState state)
    {
        string up = $"{DurationText.Of(state.Time - state.StartedAt)}{(state.Stopping ? ", stopping" : string.Empty)}";
        yield return UntrustedText.Shorten($"worker {state.Version}, process {state.Process} on {state.Machine}, up {up}, {state.Time:HH:mm:ss} UTC");
        yield return string.Empty;
        string[][] rows = [Header, .. state.Routes.Select(CellsOf)];
        int[] widths = [.. Enumerable.Range(0, Header.Length).Select(column => rows.Max(row => row[column].Length))];
        foreach (string[] row in rows)
        {
            // Names to the left, figures to the right.
            yield return string.Join("  ", row.Select((cell, column) => column < 2 ? cell.PadRight(widths[column]) : cell.PadLeft(widths[column])));
        }

        foreach ((string? route, RouteProblem problem) in state.FindProblems())
        {
            string since = problem.Since is { } began ? $"since {DurationText.Of(state.Time - began.UtcDateTime)}" : string.Empty;
            string begin = route is null ? since : since.Length == 0 ? $"Route {route}" : $"Route {route}, {since}";
            yield return string.Empty;
            yield return Whole(begin.Length == 0 ? problem.Text : $"{begin}: {problem.Text}");
            yield return Whole($"  {problem.Advice}");
            if (problem.Setting is { } setting)
            {
                yield return Whole($"  {setting}");
            }
        }
    }

    // A limit would cut what to do, and a command must be whole.
    private static string Whole(string text) => string.Join(' ', UntrustedText.Lines(text));

    private static string[] CellsOf(RouteStatus route) =>
    [
        Cut(UntrustedText.Shorten(route.Name)),
        StateOf(route),
        Count(route.Totals.Received),
        Count(route.Totals.Stored),
        string.Create(CultureInfo.InvariantCulture, $"{route.InFlight}/{route.Slots}"),
        Count(route.Held),
        Count(route.Totals.Returned),
        Count(route.Totals.DeadLetters),
    ];

    private static string StateOf(RouteStatus route) =>
        route.IsStuck ? "stuck"
        : route.Pause is not null ? "paused"
        : route.Breaker != BreakerState.Closed ? route.Breaker == BreakerState.Open ? "breaker open" : "breaker half-open"
        : route.Problem is not null ? "problem"
        : route.IsReceiving ? "ok" : "not receiving";

    private static string Cut(string text) => text.Length <= MaxCell ? text : $"{text[..(MaxCell - 1)]}…";

    private static string Count(long count) => count.ToString("N0", CultureInfo.InvariantCulture);
}
