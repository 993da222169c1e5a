namespace Messaging.Handlers.Typed;

/// <summary>The settings of a handler that has none: every key of its section is unknown.</summary>
internal sealed class NoSettings;
