namespace Messaging.Costs.Explain;

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
