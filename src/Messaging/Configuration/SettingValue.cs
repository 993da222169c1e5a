namespace Messaging.Configuration;

/// <summary>A value, and the configuration key that sets it: what an error about the value names.</summary>
/// <param name="Key">The full key without a route, such as <c>Sources:Channel:Capacity</c>.</param>
/// <param name="Value">The value in effect.</param>
public readonly record struct SettingValue<T>(string Key, T Value);
