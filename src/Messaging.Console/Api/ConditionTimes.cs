using Quayside.Messaging.Hosting;

namespace Quayside.Messaging.Console.Api;

/// <summary>Since when a route has a problem that does not tell it itself, to the accuracy of the history's step. Threads: any.</summary>
internal sealed class ConditionTimes
{
    private static readonly (string Name, Func<RouteStatus, bool> Holds)[] Conditions =
    [
        (WorkerProblems.Problem, static route => route.Problem is not null),
        (WorkerProblems.Receiving, static route => !route.IsReceiving),
        (WorkerProblems.Warning, static route => route.Warnings.Count > 0),
        (WorkerProblems.DeadLetters, static route => route.InDeadLetterQueue > 0),
    ];

    private readonly Dictionary<(string Route, string Condition), DateTime> _since = [];

    /// <summary>Looks at the routes: a condition that holds now, and did not at the last look, began now.</summary>
    public void Note(IEnumerable<RouteStatus> routes, DateTime now)
    {
        lock (_since)
        {
            foreach (RouteStatus route in routes)
            {
                foreach ((string name, Func<RouteStatus, bool> holds) in Conditions)
                {
                    if (!holds(route))
                    {
                        _since.Remove((route.Name, name));
                    }
                    else
                    {
                        _since.TryAdd((route.Name, name), now);
                    }
                }
            }
        }
    }

    /// <returns>Null while the condition does not hold.</returns>
    public DateTime? Of(string route, string condition)
    {
        lock (_since)
        {
            return _since.TryGetValue((route, condition), out DateTime since) ? since : null;
        }
    }
}
