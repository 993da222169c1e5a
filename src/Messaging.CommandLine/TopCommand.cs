using System.CommandLine;
using Quayside.Messaging.CommandLine.Top;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Http.Web.Api;
using Spectre.Console;

namespace Quayside.Messaging.CommandLine;

/// <summary><c>top</c>: shows the state of a running worker in the terminal, from its API.</summary>
internal static class TopCommand
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    // Who watches is to see soon that the worker does not answer.
    private static readonly TimeSpan RefreshLimit = TimeSpan.FromSeconds(5);

    // The worker reads the others at most every two seconds; rates are between two readings.
    private static readonly TimeSpan PeersInterval = TimeSpan.FromMilliseconds(2_100);

    public static Command Create(CommandContext context)
    {
        Option<bool> once = new("--once") { Description = "Print the state once, with rates over one second, and exit; exit 1 when a route is not ready" };
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new("top", "Show what a running worker does: rates, latency, breakers, refused callers, dead letters; q or Ctrl+C exits.") { once, url };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            return await StandardOutput.RunAsync(end => parsed.GetValue(once) ? PrintAsync(worker, end) : ShowAsync(worker, end), cancellationToken);
        });
        return command;
    }

    private static async Task<int> PrintAsync(WorkerConnection worker, CancellationToken cancellationToken)
    {
        WorkerState before = await ReadAsync(worker, cancellationToken);
        bool hasPeers = await ReadPeersAsync(worker, cancellationToken) is { Workers.Count: > 0 };
        await Task.Delay(hasPeers ? PeersInterval : Interval, cancellationToken);
        WorkerView view = new(await ReadAsync(worker, cancellationToken), before);
        PeersState? peers = hasPeers ? await ReadPeersAsync(worker, cancellationToken) : null;
        Console.Out.Write(TerminalScreen.TextOf(TopScreen.Draw(view, peers, TerminalScreen.Width), TerminalScreen.Width, !Console.IsOutputRedirected && AnsiConsole.Profile.Capabilities.Ansi));
        return view.IsReady ? ExitCodes.Success : ExitCodes.Incomplete;
    }

    private static async Task<int> ShowAsync(WorkerConnection worker, CancellationToken cancellationToken)
    {
        WorkerState before = await ReadAsync(worker, cancellationToken);
        worker.AnswerLimit = RefreshLimit;
        using TerminalScreen screen = new();
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, screen.Quit);
        PeersState? peers = null;
        Task<PeersState?> reading = ReadPeersAsync(worker, end.Token);
        screen.Show(width => TopScreen.Draw(new WorkerView(before, null), peers, width));
        while (!end.IsCancellationRequested && TolerantWriter.Failure is null)
        {
            await Task.Delay(Interval, end.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                WorkerState after = await ReadAsync(worker, end.Token);
                WorkerView view = new(after, before);
                if (reading.IsCompleted)
                {
                    // One that does not answer takes seconds, for which nothing else waits.
                    peers = await reading;
                    reading = peers is { Workers.Count: 0 } ? reading : ReadPeersAsync(worker, end.Token);
                }

                screen.Show(width => TopScreen.Draw(view, peers, width));
                before = after;
            }
            catch (StartupException exception)
            {
                screen.Show(width => TopScreen.Gone(new WorkerView(before, null), exception.Message, width));
            }
            catch (OperationCanceledException) when (end.IsCancellationRequested)
            {
                break;
            }
        }

        return ExitCodes.Success;
    }

    /// <returns>Null when the worker does not tell: it is too old, or does not answer.</returns>
    private static async Task<PeersState?> ReadPeersAsync(WorkerConnection worker, CancellationToken cancellationToken)
    {
        try
        {
            return await worker.GetAsync("/api/v1/peers", WorkerStateJson.Default.PeersState, cancellationToken);
        }
        catch (StartupException)
        {
            // Its own state, which is read more often, shows why.
            return null;
        }
    }

    private static Task<WorkerState> ReadAsync(WorkerConnection worker, CancellationToken cancellationToken) =>
        worker.GetAsync("/api/v1/stats", WorkerStateJson.Default.WorkerState, cancellationToken);
}
