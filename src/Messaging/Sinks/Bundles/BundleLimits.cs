namespace Messaging.Sinks.Bundles;

/// <summary>What one route's sources can bring, so that no bundle waits for messages that cannot come.</summary>
/// <param name="Route">The route's name, for metrics.</param>
/// <param name="InFlight">Messages in work at most.</param>
/// <param name="MostPending">Messages that wait in open bundles at most: the other half of what one source may have in work is being stored meanwhile.</param>
internal sealed record BundleLimits(string Route, int InFlight, int MostPending);
