namespace Messaging.Costs.Explain;

/// <summary>A change that would lower the bill.</summary>
/// <param name="UsdPerMonth">By how much.</param>
/// <param name="AtMost">True when that is reached under the condition alone which the change names.</param>
/// <param name="Change">What to change, and what it costs otherwise.</param>
public sealed record ExplainSaving(double UsdPerMonth, bool AtMost, string Change);
