using Messaging.Configuration;
using Messaging.Costs.Explain;
using Pipeline.Messages;

namespace Messaging.Sources;

/// <summary>
/// One source of a route as configured and checked: what makes it, and what the rest of the route has to know of it. What is left out
/// has the value that is safe for a source of which nothing is known. Immutable; nothing is opened yet.
/// </summary>
public sealed record SourcePlan
{
    /// <summary>The name of its feature; the planner sets it.</summary>
    public string Name { get; init; } = string.Empty;

    /// <summary>Makes the source; called only when the whole configuration was found right.</summary>
    public required Func<SourceServices, IMessageSource> Create { get; init; }

    /// <summary>True when its dead letters go to the folder <c>DeadLetters:Path</c>.</summary>
    public bool KeepsDeadLetters { get; init; }

    /// <summary>True when its messages may exist nowhere but in this process.</summary>
    public bool HoldsOnlyCopies { get; init; }

    /// <summary>What completing a message does outside of this process.</summary>
    public CompletionEffect OnComplete { get; init; } = CompletionEffect.Deletes;

    /// <summary>What its spans call the place that its messages come from; null for the source's lower-case name and the route.</summary>
    public MessageDestination? Destination { get; init; }

    /// <summary>True when the source starts the spans of its settlements itself, since settling a message only queues that.</summary>
    public bool TracesSettlement { get; init; }

    /// <summary>The most messages it can have in flight; null when only <c>Intake:Concurrency</c> limits them.</summary>
    public SettingValue<int>? MaxInFlight { get; init; }

    /// <summary>How long it can hold a message that is in flight; null when nothing but <c>Intake:MessageTimeout</c> ends that.</summary>
    public HoldLimit? Hold { get; init; }

    /// <summary>
    /// USD per day of its receive calls at worst, where <see cref="RouteLoad.Concurrency"/> has a part in it: <c>explain</c> asks what a
    /// greater one would cost. Null where it has none.
    /// </summary>
    public Func<RouteLoad, double>? ReceiveUsdPerDay { get; init; }

    /// <summary>What it adds to <c>explain</c>; without it a note says that its calls are not in the estimate.</summary>
    public IRouteExplainer? Explainer { get; init; }
}
