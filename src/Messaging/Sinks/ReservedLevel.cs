namespace Messaging.Sinks;

/// <summary>A first level of keys, up to the first <c>/</c>, that a sink needs for itself.</summary>
/// <param name="Name">The level, in any case, such as <c>.tmp</c>.</param>
/// <param name="Reason">Why, as the end of a sentence: <c>the folder sink keeps its unfinished files there</c>.</param>
public sealed record ReservedLevel(string Name, string Reason);
