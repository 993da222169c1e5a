using System.CommandLine;
using System.Text.Json;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Console.Api;

namespace Quayside.Messaging.Console.Commands;

/// <summary><c>pause</c> and <c>resume</c>: stop and continue receiving on a route of a running worker, over its API.</summary>
internal static class RouteCommands
{
    public static Command CreatePause(CommandContext context)
    {
        Argument<string> route = CreateRoute();
        Option<string?> note = new("--note") { Description = "Why, for the log and the page", HelpName = "text" };
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new("pause", "Pause a route of a running worker: it receives nothing until it is resumed, and finishes its messages in flight.")
            { route, note, url };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            string name = parsed.GetValue(route)!;
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            await worker.ReadBytesAsync(HttpMethod.Post, "/api/v1/routes/pause", Write(new RouteOrder(name, parsed.GetValue(note))), cancellationToken);
            System.Console.Out.WriteLine($"Route {name} is paused. Resume it with: {PrintedCommand.Of($"resume {name}", worker.Address)}");
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
            System.Console.Out.WriteLine($"Route {name} is not paused.");
            return ExitCodes.Success;
        });
        return command;
    }

    private static Argument<string> CreateRoute() => new("route") { Description = "The route's name" };

    private static byte[] Write(RouteOrder order) => JsonSerializer.SerializeToUtf8Bytes(order, ApiJson.Readable.RouteOrder);
}
