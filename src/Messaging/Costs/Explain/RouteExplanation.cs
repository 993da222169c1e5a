using System.Text.Json.Serialization;

namespace Messaging.Costs.Explain;

/// <summary>What the settings of one route imply.</summary>
/// <param name="Route">The route's name.</param>
/// <param name="Sources">Where it receives from.</param>
/// <param name="Sink">Where it stores; null where its handler writes to no sink.</param>
/// <param name="Lines">The figures.</param>
/// <param name="Notes">Where load and settings do not go together, or a price may be another.</param>
/// <param name="Savings">The largest first.</param>
public sealed record RouteExplanation(string Route, IReadOnlyList<string> Sources, [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Sink, IReadOnlyList<ExplainLine> Lines, IReadOnlyList<string> Notes, IReadOnlyList<ExplainSaving> Savings);
