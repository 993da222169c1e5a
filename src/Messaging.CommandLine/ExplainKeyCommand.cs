using System.CommandLine;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Planning;

namespace Quayside.Messaging.CommandLine;

/// <summary><c>explain-key</c>: shows the key of a message and the origin of each of its parts.</summary>
internal static class ExplainKeyCommand
{
    /// <param name="context">Reads the configuration.</param>
    /// <param name="handlers">Those whose messages have keys, at least one.</param>
    public static Command Create(CommandContext context, IReadOnlyList<IHandlerFeature> handlers)
    {
        Option<string> file = new("--file", "-f")
        {
            Description = "The message, as its sender sends it; - for standard input",
            HelpName = "file",
            DefaultValueFactory = static _ => MessageFile.StandardInput,
        };
        Option<string?> route = new("--route") { Description = "Only this route; default: every route that archives", HelpName = "name" };
        Option<string?> sourceId = new("--source-id") { Description = "The message's source id, for MissingId=UseSourceId", HelpName = "id" };
        Option<KeyValuePair<string, string>[]> attribute =
            AttributeOption.Create("An attribute of the message, for keys with {@attribute.name}; may be given several times");
        Option<string?> group = new("--group") { Description = "The message's group or session, for keys with {@group}", HelpName = "id" };
        Command command = new(
            "explain-key",
            "Show the object key of a message and the origin of each part; starts and stores nothing; exit code 1 when the message would be dead-lettered")
        {
            file,
            route,
            sourceId,
            attribute,
            group,
        };
        command.SetAction(parsed => Run(
            context,
            handlers,
            context.ReadConfiguration(parsed),
            new SampleMessage(
                MessageFile.Read(parsed.GetValue(file)!),
                parsed.GetValue(sourceId) ?? SampleMessage.UnknownId,
                parsed.GetValue(attribute),
                parsed.GetValue(group),
                TimeProvider.System.GetUtcNow()),
            parsed.GetValue(route),
            parsed.InvocationConfiguration.Output));
        return command;
    }

    private static int Run(
        CommandContext context, IReadOnlyList<IHandlerFeature> handlers, IConfiguration configuration, SampleMessage message, string? onlyRoute,
        TextWriter output)
    {
        SettingsReader settings = new(configuration);
        (RoutePlan Route, IKeyExplainer Keys)[] routes =
        [
            .. from route in context.Plan(configuration).Routes
               from handler in handlers
               where handler.Name == route.Handler.Name
               select (route, (IKeyExplainer)handler),
        ];
        if (routes.Length == 0)
        {
            throw new StartupException("No route archives messages, and only such routes have keys.", ExitCodes.Usage);
        }

        string[] names = [.. routes.Select(route => route.Route.Name)];
        if (onlyRoute is not null && !names.Contains(onlyRoute, StringComparer.OrdinalIgnoreCase))
        {
            string hint = NearestName.Find(onlyRoute, names) is { } nearest ? $" Did you mean {nearest}?" : string.Empty;
            throw new StartupException($"--route {onlyRoute}: must be a route that archives messages: {string.Join(", ", names)}.{hint}", ExitCodes.Usage);
        }

        bool hasAll = true;
        foreach ((RoutePlan route, IKeyExplainer keys) in routes)
        {
            if (onlyRoute is null || string.Equals(route.Name, onlyRoute, StringComparison.OrdinalIgnoreCase))
            {
                hasAll &= keys.ExplainKey(route, settings, message, output);
            }
        }

        return hasAll ? ExitCodes.Success : ExitCodes.Incomplete;
    }
}
