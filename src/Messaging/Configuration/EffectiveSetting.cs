namespace Messaging.Configuration;

/// <summary>One configuration key with the value in effect.</summary>
/// <param name="Key">The full key.</param>
/// <param name="Value">The value as text; <c>***</c> for a secret that is set.</param>
/// <param name="IsDefault">True when it is the default, whether or not something sets it.</param>
/// <param name="Description">What it is.</param>
public sealed record EffectiveSetting(string Key, string Value, bool IsDefault, string Description);

/// <summary>A value and the configuration key that sets it, so that errors can name the key.</summary>
/// <param name="Key">The full key without a route, such as <c>Sources:Channel:Capacity</c>.</param>
/// <param name="Value">The value in effect.</param>
public readonly record struct SettingValue<T>(string Key, T Value);

/// <summary>A setting whose value does not fit, and the values that would.</summary>
/// <param name="Key">The full key without a route.</param>
/// <param name="Value">The value in effect.</param>
/// <param name="Allowed">The values that fit, such as <c>Full</c>.</param>
public sealed record SettingChoice(string Key, string Value, string Allowed);
