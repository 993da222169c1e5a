namespace Messaging.Sinks.Bundles;

/// <summary>Limits from a route's sources, so that no bundle waits for messages that cannot arrive.</summary>
/// <param name="Route">The route's name, for metrics.</param>
/// <param name="InFlight">Maximum number of messages in flight.</param>
/// <param name="MostPending">Maximum number of messages in open bundles: half of a source's messages in flight; the other half is being stored.</param>
internal sealed record BundleLimits(string Route, int InFlight, int MostPending);
