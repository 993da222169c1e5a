using System.CommandLine;
using System.Globalization;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Console.Api;
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
        WorkerState state = await worker.GetAsync("/api/v1/stats", WorkerStateJson.Default.WorkerState, cancellationToken);
        if (json)
        {
            DeadLettersCommand.WriteJson(state, WorkerStateJson.Default.WorkerState);
        }
        else
        {
            foreach (string line in LinesOf(state))
            {
                System.Console.Out.WriteLine(line);
            }
        }

        return !state.Stopping && state.Routes.All(static route => route.Ready) ? ExitCodes.Success : ExitCodes.Incomplete;
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

        foreach (ProblemState problem in state.Problems ?? [])
        {
            yield return string.Empty;
            yield return UntrustedText.Shorten(problem.Title);
            foreach (string line in (string[])[.. problem.Details, problem.Action, .. problem.How.Split('\n')])
            {
                yield return $"  {UntrustedText.Shorten(line)}";
            }
        }
    }

    private static string[] CellsOf(RouteState route) =>
    [
        Cut(UntrustedText.Shorten(route.Name)),
        StateOf(route),
        Count(route.Received),
        Count(route.Done),
        string.Create(CultureInfo.InvariantCulture, $"{route.InFlight}/{route.Slots}"),
        Count(route.Held),
        Count(route.Returned),
        Count(route.DeadLetters),
    ];

    private static string StateOf(RouteState route) =>
        route.Stuck ? "stuck"
        : route.Pause is not null ? "paused"
        : route.Breaker.State != "closed" ? Cut(UntrustedText.Shorten($"breaker {route.Breaker.State}"))
        : route.Problem is not null ? "problem"
        : route.Receiving ? "ok" : "not receiving";

    private static string Cut(string text) => text.Length <= MaxCell ? text : $"{text[..(MaxCell - 1)]}…";

    private static string Count(long count) => count.ToString("N0", CultureInfo.InvariantCulture);
}
