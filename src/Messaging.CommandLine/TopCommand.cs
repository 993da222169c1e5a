using System.CommandLine;
using System.Net;
using System.Text.Json;
using Messaging.CommandLine.Top;
using Messaging.Configuration;
using Messaging.Http.Web.Api;
using Messaging.Telemetry;
using Spectre.Console;

namespace Messaging.CommandLine;

/// <summary><c>top</c>: shows the state of a running worker in the terminal, from its API.</summary>
internal static class TopCommand
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

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
        await Task.Delay(Interval, cancellationToken);
        WorkerView view = new(await ReadAsync(worker, cancellationToken), before);
        Console.Out.Write(TerminalScreen.TextOf(TopScreen.Draw(view, TerminalScreen.Width), TerminalScreen.Width, !Console.IsOutputRedirected && AnsiConsole.Profile.Capabilities.Ansi));
        return view.IsReady ? ExitCodes.Success : ExitCodes.Incomplete;
    }

    private static async Task<int> ShowAsync(WorkerConnection worker, CancellationToken cancellationToken)
    {
        WorkerState before = await ReadAsync(worker, cancellationToken);
        using TerminalScreen screen = new();
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, screen.Quit);
        screen.Show(width => TopScreen.Draw(new WorkerView(before, null), width));
        while (!end.IsCancellationRequested && TolerantWriter.Failure is null)
        {
            await Task.Delay(Interval, end.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                WorkerState after = await ReadAsync(worker, end.Token);
                WorkerView view = new(after, before);
                screen.Show(width => TopScreen.Draw(view, width));
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

    /// <exception cref="StartupException">No worker answers, or it refuses access.</exception>
    private static async Task<WorkerState> ReadAsync(WorkerConnection worker, CancellationToken cancellationToken)
    {
        (HttpStatusCode status, string text) = await worker.ReadAsync("/api/v1/stats", cancellationToken);
        if (status is HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden)
        {
            throw new StartupException($"The worker at {worker.Address} refuses access: give its token with --Hosting:Token=token. Its answer: {UntrustedText.Shorten(text)}", ExitCodes.NoPermission);
        }

        try
        {
            return status == HttpStatusCode.OK
                ? JsonSerializer.Deserialize(text, WorkerStateJson.Default.WorkerState) ?? throw new JsonException("null")
                : throw new StartupException($"{worker.Address} answered {(int)status}: is a worker running there?", ExitCodes.Unavailable);
        }
        catch (JsonException exception)
        {
            throw new StartupException($"{worker.Address} answered with what is not a worker's state ({exception.Message.TrimEnd('.')}): is a worker of this version running there?", ExitCodes.Unavailable, exception);
        }
    }
}
