using System.CommandLine;
using Microsoft.Extensions.Configuration;
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
            IConfiguration configuration = context.ReadConfiguration(parsed);
            context.Check(configuration);
            Console.Out.WriteLine(
                string.Join(", ", configuration.GetSection("Routes").GetChildren().Where(route => route["Handler"] == "Orders").Select(route => route.Key)));
            return ExitCodes.Success;
        });
        return command;
    }
}
