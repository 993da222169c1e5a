using Messaging.Configuration;
using Messaging.Costs.Explain;
using Messaging.Routes;
using Messaging.Sinks;
using Pipeline.Building;
using Pipeline.Contexts;

namespace Messaging.Handlers;

/// <summary>A route's handler as configured and checked: what adds its parts, and what the rest of the route has to know of it. Immutable; nothing is opened yet.</summary>
public sealed record HandlerPlan
{
    /// <summary>The name of its feature; the planner sets it.</summary>
    public string Name { get; init; } = string.Empty;

    /// <summary>
    /// Adds the handler's parts to the route's chain, behind the physical stage's own parts, terminator included; called only when the
    /// whole configuration was found right.
    /// </summary>
    public required Action<PipelineBuilder<PhysicalContext>, HandlerServices> Compose { get; init; }

    /// <summary>True when it writes dead letters to the folder <c>DeadLetters:Path</c>.</summary>
    public bool KeepsDeadLetters { get; init; }

    /// <summary>Set where messages wait for each other before they are handled.</summary>
    public Gathering? Gathers { get; init; }

    /// <summary>True when every body that it stores is one whole JSON document, as the lines of a bundle have to be.</summary>
    public bool StoresWholeJson { get; init; }

    /// <summary>The setting that keeps <see cref="StoresWholeJson"/> from being true, and what it would have to be; null where no setting does.</summary>
    public SettingChoice? WholeJsonChoice { get; init; }

    /// <summary>Finds the setting by which a key could begin with a level that the sink reserves; null where none can.</summary>
    public Func<ReservedLevel, ConfigurationError?>? FindReserved { get; init; }

    /// <summary>
    /// True when a message is only an event and the handler reads the object that it names: what the route stores, and needs for that,
    /// then does not follow from the number and size of its messages.
    /// </summary>
    public bool ReadsObjects { get; init; }

    /// <summary>
    /// Writes what <c>validate</c> shows of it, such as the names it gives: a paragraph with an empty line after it; null for nothing. Called only
    /// when the route had no problem.
    /// </summary>
    public Action<TextWriter>? Describe { get; init; }

    /// <summary>What it adds to <c>explain</c>; without it a note says that its calls are not in the estimate.</summary>
    public IRouteExplainer? Explainer { get; init; }
}
