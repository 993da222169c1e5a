using System.Text.Json.Serialization;
using Messaging.Costs.Explain;

namespace Messaging.Planning;

/// <summary>What the settings of one route imply.</summary>
/// <param name="Route">The route's name.</param>
/// <param name="Sources">Where it receives from.</param>
/// <param name="Sink">Where it stores; null where its handler writes to no sink.</param>
/// <param name="Lines">The figures.</param>
/// <param name="Notes">Where load and settings do not fit together, or where a price may differ.</param>
/// <param name="Savings">Changes that would lower the bill, the largest saving first.</param>
public sealed record RouteExplanation(string Route, IReadOnlyList<string> Sources, [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Sink, IReadOnlyList<ExplainLine> Lines, IReadOnlyList<string> Notes, IReadOnlyList<ExplainSaving> Savings);

/// <summary>The load to explain the settings for.</summary>
/// <param name="MessagesPerDay">Messages per day for each route, spread evenly.</param>
/// <param name="MessageBytes">Bytes of a body.</param>
/// <param name="MessagesPerObject">Messages that one object holds; null to derive it from the settings.</param>
/// <param name="PutMilliseconds">The assumed time to store an object, in milliseconds.</param>
public sealed record ExplainInput(long MessagesPerDay, int MessageBytes, int? MessagesPerObject, int PutMilliseconds)
{
    /// <summary>Messages per second.</summary>
    public double Rate => MessagesPerDay / RouteLoad.SecondsPerDay;
}
