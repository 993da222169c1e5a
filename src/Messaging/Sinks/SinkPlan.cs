using Messaging.Configuration;
using Messaging.Costs.Explain;

namespace Messaging.Sinks;

/// <summary>A route's sink as configured and checked: what makes it, and what the rest of the route has to know of it. Immutable; nothing is opened yet.</summary>
public sealed record SinkPlan
{
    /// <summary>The name of its feature; the planner sets it.</summary>
    public string Name { get; init; } = string.Empty;

    /// <summary>What it takes; the planner sets it.</summary>
    public SinkKind Kind { get; init; }

    /// <summary>Makes the sink; called only when the whole configuration was found right.</summary>
    public required Func<SinkServices, ISink> Create { get; init; }

    /// <summary>The longest that one store takes, retries included; zero where the sink sets no limit.</summary>
    public TimeSpan StoreTimeout { get; init; }

    /// <summary>The most stores at once; null when the slots of the route are the only limit.</summary>
    public SettingValue<int>? MaxConcurrency { get; init; }

    /// <summary>Set for a sink that loses what it stores when the process ends; null for one that keeps it.</summary>
    public SinkLoss? Loss { get; init; }

    /// <summary>What no key may begin with.</summary>
    public IReadOnlyList<ReservedLevel> ReservedLevels { get; init; } = [];

    /// <summary>USD per million objects stored, from which <c>explain</c> derives what bundles would save; 0 where an object costs nothing.</summary>
    public double PricePerMillionObjects { get; init; }

    /// <summary>What it adds to <c>explain</c>; without it a note says that its calls are not in the estimate.</summary>
    public IRouteExplainer? Explainer { get; init; }
}
