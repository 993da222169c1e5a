namespace Messaging.Configuration;

/// <summary>One key as the worker runs with it.</summary>
/// <param name="Key">The full key.</param>
/// <param name="Value">The value as text; <c>***</c> for a secret that is set.</param>
/// <param name="IsDefault">True when nothing in the configuration set it.</param>
/// <param name="Description">What it is.</param>
public sealed record EffectiveSetting(string Key, string Value, bool IsDefault, string Description);
