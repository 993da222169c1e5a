namespace Messaging.Sinks;

/// <summary>A first level of keys, up to the first <c>/</c>, that a sink reserves for itself.</summary>
/// <param name="Name">The level, case-insensitive, such as <c>.tmp</c>.</param>
/// <param name="Reason">The reason, as the end of a sentence: <c>the folder sink keeps its unfinished files there</c>.</param>
public sealed record ReservedLevel(string Name, string Reason);
