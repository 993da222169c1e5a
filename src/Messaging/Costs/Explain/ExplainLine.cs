namespace Messaging.Costs.Explain;

/// <summary>One figure that follows from the settings.</summary>
/// <param name="Name">For machines; stays the same from version to version.</param>
/// <param name="Title">For people.</param>
/// <param name="Value">The figure.</param>
/// <param name="Unit">Of the figure.</param>
/// <param name="Because">How it follows, and from which settings.</param>
public sealed record ExplainLine(string Name, string Title, double Value, string Unit, string Because);
