using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CommandLine;

/// <summary><c>tail</c>: prints messages of a route of a running worker as they are settled, from its API.</summary>
internal static class TailCommand
{
    public static Command Create(CommandContext context)
    {
        Argument<string> route = new("route") { Description = "The route's name" };
        Option<int?> perSecond = new("--per-second") { Description = "Messages per second at most; default and at most Hosting:TailPerSecond of the worker", HelpName = "messages" };
        Option<int?> seconds = new("--seconds") { Description = "How long; default and at most Hosting:TailDuration of the worker", HelpName = "seconds" };
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new("tail", "Print messages of a route of a running worker as they pass, one line of JSON each, with secrets masked; Ctrl+C exits.") { route, perSecond, seconds, url };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            string path = string.Create(CultureInfo.InvariantCulture, $"/api/v1/routes/tail?route={Uri.EscapeDataString(parsed.GetValue(route)!)}&perSecond={parsed.GetValue(perSecond)}&seconds={parsed.GetValue(seconds)}");
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            return await StandardOutput.RunAsync(end => PrintAsync(worker, path, end), cancellationToken);
        });
        return command;
    }

    private static async Task<int> PrintAsync(WorkerConnection worker, string path, CancellationToken cancellationToken)
    {
        try
        {
            await foreach (string line in worker.ReadLinesAsync(path, cancellationToken))
            {
                if (line.StartsWith("{\"end\":", StringComparison.Ordinal))
                {
                    Console.Error.WriteLine(Describe(line));
                    return ExitCodes.Success;
                }

                // Within JSON, all characters that are escaped are in strings.
                Console.Out.WriteLine(UntrustedText.Lines(line)[0]);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return ExitCodes.Success;
        }

        throw new StartupException($"The tail ended before its time: {worker.Address} closed the connection.", ExitCodes.Unavailable);
    }

    private static string Describe(string end)
    {
        using JsonDocument json = JsonDocument.Parse(end);
        long Count(string name) => json.RootElement.GetProperty(name).GetInt64();
        string why = json.RootElement.GetProperty("end").GetString() == "stopping" ? "the worker stops" : "its time is over";
        return string.Create(CultureInfo.InvariantCulture, $"The tail ended: {why}. {Count("shown"):N0} shown, {Count("skipped"):N0} more than were to be shown per second, {Count("dropped"):N0} dropped because they were not read in time.");
    }
}
