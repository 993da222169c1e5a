namespace Worker.Costs.Explain;

/// <summary>What the settings of one route imply.</summary>
internal sealed record RouteExplanation(string Route, IReadOnlyList<string> Sources, string Sink, IReadOnlyList<ExplainLine> Lines, IReadOnlyList<ExplainSaving> Savings);
