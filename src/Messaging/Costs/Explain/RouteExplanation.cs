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

/// <summary>One figure that follows from the settings.</summary>
/// <param name="Name">For machines; stays the same from version to version.</param>
/// <param name="Title">For people.</param>
/// <param name="Value">The figure.</param>
/// <param name="Unit">Of the figure.</param>
/// <param name="Because">How it follows, and from which settings.</param>
public sealed record ExplainLine(string Name, string Title, double Value, string Unit, string Because);

/// <summary>A change that would lower the bill.</summary>
/// <param name="UsdPerMonth">By how much.</param>
/// <param name="AtMost">True when that is reached under the condition alone which the change names.</param>
/// <param name="Change">What to change, and what it costs otherwise.</param>
public sealed record ExplainSaving(double UsdPerMonth, bool AtMost, string Change);

/// <summary>The load to explain the settings for.</summary>
/// <param name="MessagesPerDay">Messages a day, spread evenly, for each route.</param>
/// <param name="MessageBytes">Bytes of a body.</param>
/// <param name="MessagesPerObject">Messages that one object holds; null to take what the settings lead to.</param>
/// <param name="PutMilliseconds">What storing an object is assumed to take.</param>
public sealed record ExplainInput(long MessagesPerDay, int MessageBytes, int? MessagesPerObject, int PutMilliseconds)
{
    /// <summary>Messages a second.</summary>
    public double Rate => MessagesPerDay / RouteLoad.SecondsPerDay;
}
