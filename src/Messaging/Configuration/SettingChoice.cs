namespace Messaging.Configuration;

/// <summary>A setting that would have to be another one.</summary>
/// <param name="Key">The full key without a route.</param>
/// <param name="Value">The value in effect.</param>
/// <param name="Allowed">The values that would do, such as <c>Full or Strict</c>.</param>
public sealed record SettingChoice(string Key, string Value, string Allowed);
