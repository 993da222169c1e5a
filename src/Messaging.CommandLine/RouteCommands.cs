using System.CommandLine;
using System.Text.Json;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Http.Web.Api;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CommandLine;

/// <summary><c>pause</c>, <c>resume</c> and <c>probe</c>: stop and continue receiving on a route of a running worker, and check its sink, over its API.</summary>
internal static class RouteCommands
{
    public static Command CreatePause(CommandContext context)
    {
        Argument<string> route = CreateRoute();
        Option<string?> note = new("--note") { Description = "Why, for the log and the page", HelpName = "text" };
        Option<bool> keep = new("--keep") { Description = "Stay paused after a restart too; needs a writable Hosting:StatePath" };
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new("pause", "Pause a route of a running worker: it receives nothing until it is resumed, and finishes its messages in flight.") { route, note, keep, url };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            string name = parsed.GetValue(route)!;
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            await worker.ReadBytesAsync(HttpMethod.Post, "/api/v1/routes/pause", Write(new RouteOrder(name, parsed.GetValue(note), parsed.GetValue(keep))), cancellationToken);
            string also = parsed.GetValue(keep) ? ", also after a restart" : string.Empty;
            Console.Out.WriteLine($"Route {name} is paused{also}. Resume it with: {PrintedCommand.Of($"resume {name}", worker.Address)}");
            return ExitCodes.Success;
        });
        return command;
    }

    public static Command CreateResume(CommandContext context)
    {
        Argument<string> route = CreateRoute();
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new("resume", "Resume a route of a running worker that was paused.") { route, url };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            string name = parsed.GetValue(route)!;
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            await worker.ReadBytesAsync(HttpMethod.Post, "/api/v1/routes/resume", Write(new RouteOrder(name)), cancellationToken);
            Console.Out.WriteLine($"Route {name} is not paused.");
            return ExitCodes.Success;
        });
        return command;
    }

    public static Command CreateProbe(CommandContext context)
    {
        Argument<string> route = CreateRoute();
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new("probe", "Check the sink of a route of a running worker now. Exit code 1: it cannot be reached.") { route, url };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            string name = parsed.GetValue(route)!;
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            ProbeAnswer probe = await worker.AskAsync(HttpMethod.Post, "/api/v1/routes/probe", Write(new RouteOrder(name)), WorkerStateJson.Default.ProbeAnswer, cancellationToken);
            string took = DurationText.Of(TimeSpan.FromSeconds(probe.Seconds));
            Console.Out.WriteLine(probe.Reachable
                ? $"Route {name}: the sink {UntrustedText.Shorten(probe.Sink)} can be reached; its check took {took}."
                : $"Route {name}: the sink {UntrustedText.Shorten(probe.Sink)} cannot be reached; its check took {took}. {UntrustedText.Shorten(probe.Problem)}");
            return probe.Reachable ? ExitCodes.Success : ExitCodes.Incomplete;
        });
        return command;
    }

    private static Argument<string> CreateRoute() => new("route") { Description = "The route's name" };

    private static byte[] Write(RouteOrder order) => JsonSerializer.SerializeToUtf8Bytes(order, WorkerStateJson.Default.RouteOrder);
}
