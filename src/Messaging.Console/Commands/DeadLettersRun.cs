using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Console.Commands;

/// <summary>A command that starts a run over dead letters in the worker, and waits for its end: redrive, discard.</summary>
internal static class DeadLettersRun
{
    private const string RunPath = "/api/v1/redrive";

    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan ReportInterval = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan StopTime = TimeSpan.FromSeconds(5);

    /// <param name="context">Reads the configuration.</param>
    /// <param name="verb">What it does with dead letters.</param>
    /// <param name="description">For the help.</param>
    /// <param name="path">The path of the API that starts it.</param>
    public static Command Create(CommandContext context, string verb, string description, string path)
    {
        Option<string?> reason = DeadLettersCommand.CreateReason();
        Option<string[]> names =
            new("--name") { Description = "One dead letter, as list prints it; may be repeated", HelpName = "name", DefaultValueFactory = static _ => [] };
        Option<bool> all = new("--all") { Description = "All" };
        Option<int?> max = CountOption.Create("--max", [], "Maximum dead letters", int.MaxValue);
        Option<int?> rate = CountOption.Create("--rate", [], "Maximum dead letters per second; default no limit", 100_000);
        Option<bool> dryRun = new("--dry-run") { Description = "Count those that are selected; change nothing" };
        Option<bool> json = DeadLettersCommand.CreateJson();
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new(verb, $"{description} Select them by --name, by --reason, or with --all; exit 1 when one stays as it was.")
        {
            names, reason, all, max, dryRun, json, url,
        };
        if (verb == "redrive")
        {
            command.Add(rate);
        }

        command.SetAction(async (parsed, cancellationToken) =>
        {
            string? ofReason = parsed.GetValue(reason);
            string[] named = parsed.GetValue(names)!;
            if (new[] { named.Length > 0, !string.IsNullOrEmpty(ofReason), parsed.GetValue(all) }.Count(static isSet => isSet) != 1)
            {
                throw new StartupException($"dead-letters {verb} needs exactly one of: --name, --reason, or --all.", ExitCodes.Usage);
            }

            RedriveOrder order = new(
                named.Length > 0 ? named : null,
                string.IsNullOrEmpty(ofReason) ? null : ofReason,
                parsed.GetValue(all),
                parsed.GetValue(max),
                verb == "redrive" ? parsed.GetValue(rate) : null,
                parsed.GetValue(dryRun));
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            await DeadLettersCommand.CheckAsync(worker, new DeadLetterFilter(ofReason), cancellationToken);
            RedriveState state = await RunAsync(worker, path, order, report: !parsed.GetValue(json), cancellationToken);
            if (parsed.GetValue(json))
            {
                DeadLettersCommand.WriteJson(state, DeadLettersJson.Readable.RedriveState);
            }
            else
            {
                Write(state);
            }

            int missing = Math.Min(named.Distinct(StringComparer.Ordinal).Count(), order.Max ?? int.MaxValue) - state.Found;
            if (missing > 0 && state.Problem is null)
            {
                ConfigurationReport.WriteError(
                    $"{(missing == 1 ? "one of the names is that of no dead letter" : $"{missing:N0} of the names are those of no dead letter")}; "
                        + "it may have been redriven, discarded or deleted. dead-letters list shows the names.");
            }

            return state.Problem is null && state.Left == 0 && missing <= 0 ? ExitCodes.Success : ExitCodes.Incomplete;
        });
        return command;
    }

    private static async Task<RedriveState> RunAsync(WorkerConnection worker, string path, RedriveOrder order, bool report, CancellationToken cancellationToken)
    {
        RedriveState started = await worker.AskAsync(
            HttpMethod.Post, path, JsonSerializer.SerializeToUtf8Bytes(order, DeadLettersJson.Readable.RedriveOrder), DeadLettersJson.Readable.RedriveState,
            cancellationToken);
        RedriveState state = started;
        long reported = TimeProvider.System.GetTimestamp();
        try
        {
            while (state.State == "running")
            {
                await Task.Delay(Interval, cancellationToken);
                state = await worker.GetAsync(RunPath, DeadLettersJson.Readable.RedriveState, cancellationToken);
                if (state.StartedAt != started.StartedAt)
                {
                    throw new StartupException(
                        "The worker was restarted, or another run began, before the result was read. What was not processed stays as it was: see "
                            + $"{PrintedCommand.Of("dead-letters groups", worker.Address)}.",
                        ExitCodes.Incomplete);
                }

                if (report && state.State == "running" && TimeProvider.System.GetElapsedTime(reported) > ReportInterval)
                {
                    reported = TimeProvider.System.GetTimestamp();
                    System.Console.Out.WriteLine($"{Counts(state)}, of {state.Total:N0}.");
                }
            }

            return state;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            using CancellationTokenSource end = new(StopTime);
            state = await worker.AskAsync(HttpMethod.Delete, RunPath, json: null, DeadLettersJson.Readable.RedriveState, end.Token);
            while (state.State == "running")
            {
                await Task.Delay(Interval, end.Token);
                state = await worker.GetAsync(RunPath, DeadLettersJson.Readable.RedriveState, end.Token);
            }

            return state;
        }
    }

    private static string Counts(RedriveState state) => string.Create(
        CultureInfo.InvariantCulture,
        $"{state.Found:N0} found{(state.DryRun ? string.Empty : $", {state.Sent:N0} {Done(state.Action)}, {state.Left:N0} left as they were")}");

    private static string Done(string action) => action == "redrive" ? "redriven" : "discarded";

    private static void Write(RedriveState state)
    {
        System.Console.Out.WriteLine($"{Counts(state)}{(state.DryRun ? "; nothing was changed" : string.Empty)}.");
        foreach (RedriveCounts counts in state.Results)
        {
            System.Console.Out.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"  {UntrustedText.Shorten(counts.Reason)}: {counts.Found:N0} found"
                    + $"{(state.DryRun ? string.Empty : $", {counts.Sent:N0} {Done(state.Action)}, {counts.Left:N0} left")}"));
        }

        foreach (RedriveFailure failure in state.Failures)
        {
            System.Console.Error.WriteLine($"  - {UntrustedText.Shorten(failure.Name)}: {UntrustedText.Shorten(failure.Error)}");
        }

        if (state.Problem is { } problem)
        {
            ConfigurationReport.WriteError(UntrustedText.Shorten(problem));
        }
    }
}
