namespace Messaging.Configuration;

/// <summary>One key as the worker runs with it.</summary>
/// <param name="Key">The full key.</param>
/// <param name="Value">The value as text; <c>***</c> for a secret that is set.</param>
/// <param name="IsDefault">True when nothing in the configuration set it.</param>
/// <param name="Description">What it is.</param>
public sealed record EffectiveSetting(string Key, string Value, bool IsDefault, string Description);

/// <summary>A value, and the configuration key that sets it: what an error about the value names.</summary>
/// <param name="Key">The full key without a route, such as <c>Sources:Channel:Capacity</c>.</param>
/// <param name="Value">The value in effect.</param>
public readonly record struct SettingValue<T>(string Key, T Value);

/// <summary>A setting that would have to be another one.</summary>
/// <param name="Key">The full key without a route.</param>
/// <param name="Value">The value in effect.</param>
/// <param name="Allowed">The values that would do, such as <c>Full or Strict</c>.</param>
public sealed record SettingChoice(string Key, string Value, string Allowed);
