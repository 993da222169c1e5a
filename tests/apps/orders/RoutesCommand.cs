using System.CommandLine;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;

namespace OrdersApp;

/// <summary><c>routes</c>: the routes of the configuration.</summary>
internal static class RoutesCommand
{
    public static Command Create(CommandContext context)
    {
        Command command = new("routes", "List the routes that book orders");
        command.SetAction(parsed =>
        {
            Console.Out.WriteLine(
                string.Join(
                    ", ", context.Plan(context.ReadConfiguration(parsed)).Routes.Where(route => route.Handler.Name == "Orders").Select(route => route.Name)));
            return ExitCodes.Success;
        });
        return command;
    }
}
