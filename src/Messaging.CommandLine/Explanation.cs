using Messaging.Costs.Explain;

namespace Messaging.CommandLine;

/// <summary>What the settings imply for a load, route by route.</summary>
internal sealed record Explanation(ExplainInput Input, IReadOnlyList<RouteExplanation> Routes);
