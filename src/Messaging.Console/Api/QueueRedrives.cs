using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Planning;

namespace Quayside.Messaging.Console.Api;

/// <summary>The commands that send the dead letters in the queues of routes again. Threads: any.</summary>
internal sealed class QueueRedrives(RedriveCatalog catalog, WorkerPlan plan)
{
    /// <summary>The command for one source of a route.</summary>
    /// <param name="route">The name of the route.</param>
    /// <param name="source">The name of the source.</param>
    /// <returns>Null when the source offers no redrive.</returns>
    public string? CommandOf(string route, string source)
    {
        if (catalog.NameOf(source) is not { } name)
        {
            return null;
        }

        // Settings of the route itself apply with --route; others are the worker's own.
        string general = $"Sources:{source}:Queue";
        string own = $"Routes:{route}:{general}";
        EffectiveSetting? queue =
            plan.Effective.FirstOrDefault(setting => IsSet(setting, own)) ?? plan.Effective.FirstOrDefault(setting => IsSet(setting, general));
        string settings = queue switch
        {
            null => $" --route {route}",
            _ when string.Equals(queue.Key, own, StringComparison.OrdinalIgnoreCase) => $" --route {route} --{own}={queue.Value}",
            _ => $" --{general}={queue.Value}",
        };
        return $"{PrintedCommand.Program} redrive --from {name}{settings}{PrintedCommand.Config} --dry-run";
    }

    private static bool IsSet(EffectiveSetting setting, string key) =>
        setting.Value.Length > 0 && string.Equals(setting.Key, key, StringComparison.OrdinalIgnoreCase);
}
