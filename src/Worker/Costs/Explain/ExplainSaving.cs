namespace Worker.Costs.Explain;

/// <summary>A change that would lower the bill.</summary>
/// <param name="UsdPerMonth">By how much.</param>
/// <param name="Change">What to change, and what it costs otherwise.</param>
internal sealed record ExplainSaving(double UsdPerMonth, string Change);
