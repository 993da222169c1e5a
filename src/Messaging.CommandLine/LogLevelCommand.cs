using System.CommandLine;
using System.Text.Json;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Http.Web.Api;

namespace Quayside.Messaging.CommandLine;

/// <summary><c>log-level</c>: changes a log level of a running worker for a time, over its API.</summary>
internal static class LogLevelCommand
{
    public static Command Create(CommandContext context)
    {
        Argument<string> category = new("category") { Description = "The beginning of the loggers' names, such as Quayside.Messaging.Http" };
        Argument<string> level = new("level") { Description = "Trace, Debug or Information" };
        Option<int> minutes = new("--minutes") { Description = "How long, 1 to 60; 0 ends it now", DefaultValueFactory = static _ => 10, HelpName = "minutes" };
        Option<string?> url = WorkerConnection.CreateOption();
        Command command = new("log-level", "Log more of a running worker for a time, then as configured again.") { category, level, minutes, url };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            LogLevelOrder order = new(parsed.GetValue(category), parsed.GetValue(level), parsed.GetValue(minutes));
            using WorkerConnection worker = WorkerConnection.To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            await worker.ReadBytesAsync(HttpMethod.Post, "/api/v1/log-level", JsonSerializer.SerializeToUtf8Bytes(order, WorkerStateJson.Default.LogLevelOrder), cancellationToken);
            Console.Out.WriteLine(order.Minutes == 0 ? $"{order.Category} is logged as configured." : $"{order.Category} is logged from {order.Level} on for {order.Minutes} min.");
            return ExitCodes.Success;
        });
        return command;
    }
}
